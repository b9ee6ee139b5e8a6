module github.com/spoorhq/spoor/bench

go 1.26.0

require (
	github.com/BobuSumisu/aho-corasick v1.0.3
	github.com/coregx/ahocorasick v0.3.1
	github.com/spoorhq/spoor v0.0.0
)

replace github.com/spoorhq/spoor => ../
