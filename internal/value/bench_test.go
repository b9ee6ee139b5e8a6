package value

import (
	"fmt"
	"strings"
	"testing"
)

// document is a JSON text of some megabytes with five values in 130 bytes.
func document(size int) string {
	var b strings.Builder
	b.WriteString("[")
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, `{"order_id":"R-%d","customer":"Ada Lovelace","amount":%d.%02d,"created_at":"2026-11-%02dT22:06:04Z","note":"paid by card on time","port":%d},`,
			i, i*37%5000, i%100, i%28+1, 1024+i%7000)
	}
	return b.String()
}

func BenchmarkScan(b *testing.B) {
	texts := map[string]string{
		"json":    document(1 << 20),
		"prose":   strings.Repeat("The refund of order seventeen was paid in full, and one of the three ports answered after some minutes. ", 1<<20/104),
		"numbers": strings.Repeat("41200, 3.14, 17, 100000,\n", 1<<20/25),
	}
	for _, name := range []string{"json", "prose", "numbers"} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(texts[name])))
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				n = 0
				for range All(texts[name]) {
					n++
				}
			}
			b.ReportMetric(float64(n), "values")
		})
	}
}

func BenchmarkKeys(b *testing.B) {
	all := Scan(document(1 << 20))
	var keys []Key
	for b.Loop() {
		keys = keys[:0]
		for _, v := range all {
			keys = v.AppendKeys(keys)
		}
	}
	b.ReportMetric(float64(len(keys)), "keys")
}

func BenchmarkSame(b *testing.B) {
	all := Scan(`41200 41,203 "R-17" 2026-11-30 €1,299.00 25 % 41.200`)
	for b.Loop() {
		for _, x := range all {
			for _, y := range all {
				Same(x, y)
			}
		}
	}
}

func BenchmarkDerive(b *testing.B) {
	target := Scan("41203.77")[0]
	var text strings.Builder
	for i := range 120 {
		fmt.Fprintf(&text, "%d.%02d; ", i*i*7%9973+100, i)
	}
	list := Scan(text.String())
	for b.Loop() {
		Derive(target, list, 1<<16)
	}
}
