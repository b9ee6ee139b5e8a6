package wire

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

func listen(from io.Reader) (got []string, err error) {
	a := Answer{Media: "text/event-stream", Body: from}
	err = a.Events(func(kind string, data []byte) error {
		got = append(got, fmt.Sprintf("%s=%s", kind, data))
		return nil
	})
	return got, err
}

func TestEvents(t *testing.T) {
	for stream, want := range map[string][]string{
		"":                              nil,
		"data: a\n\ndata:b\n\ndata:  c": {"=a", "=b", "= c"},
		"\uFEFFdata: a\r\n\r\nevent: x\r\ndata: b\r\n\r\n": {"=a", "x=b"},
		"data: a\rdata: b\r\rdata: c\r":                    {"=a\nb", "=c"},
		"event: x\n\ndata: a\n\n":                          {"=a"},
		"event: x\nevent: y\ndata: a\ndata\ndata: \n\n":    {"y=a\n\n"},
		": hello\nid: 1\nretry: 2\ndata: a: b\nx\n:\n\n":   {"=a: b"},
		"data\n\ndata:\n\n\n\n":                            nil,
		"\ndata: \uFEFFa\x00\n\n":                          {"=\uFEFFa\x00"},
	} {
		for name, from := range map[string]io.Reader{"at once": strings.NewReader(stream), "byte by byte": iotest.OneByteReader(strings.NewReader(stream)), "with the end": iotest.DataErrReader(strings.NewReader(stream))} {
			got, err := listen(from)
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("%q %s: %v, -want +got:\n%s", stream, name, err, diff)
			}
		}
	}
}

func TestEventsThatEndEarly(t *testing.T) {
	got, err := listen(io.MultiReader(strings.NewReader("data: a\n\ndata: b"), iotest.ErrReader(io.ErrClosedPipe)))
	if err != io.ErrClosedPipe || fmt.Sprint(got) != "[=a]" {
		t.Errorf("%q, %v", got, err)
	}
	n, no := 0, errors.New("no")
	a := Answer{Body: strings.NewReader("data: a\n\ndata: b\n\n")}
	if err := a.Events(func(string, []byte) error { n++; return no }); err != no || n != 1 {
		t.Errorf("%d events, %v", n, err)
	}
	a = Answer{Body: strings.NewReader("data: a")}
	if err := a.Events(func(string, []byte) error { return ErrEnough }); err != nil {
		t.Error(err)
	}
	a.Emit("nobody listens")
	a.Done()
	for _, long := range []string{strings.Repeat("x", maxEvent+1), strings.Repeat("data: "+strings.Repeat("x", 999)+"\n", maxEvent/999)} {
		_, err := listen(strings.NewReader(long))
		if _, ok := err.(*broken); !ok || err.Error() != "a line or an event of it is longer than 16 MiB" {
			t.Errorf("got %v", err)
		}
	}
}

func FuzzEvents(f *testing.F) {
	f.Add("data: a\r\n\rdata: b\nevent: c\n\n", uint64(1))
	f.Fuzz(func(t *testing.T, stream string, seed uint64) {
		want, err := listen(strings.NewReader(stream))
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(seed, 0))
		var pieces []io.Reader
		for rest := stream; rest != ""; {
			n := 1 + r.IntN(len(rest))
			pieces = append(pieces, strings.NewReader(rest[:n]))
			rest = rest[n:]
		}
		got, err := listen(io.MultiReader(pieces...))
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%q: %v, -want +got:\n%s", stream, err, diff)
		}
		// One kind of line end is as good as another.
		plain := strings.ReplaceAll(strings.ReplaceAll(stream, "\r\n", "\n"), "\r", "\n")
		for _, end := range []string{"\n", "\r", "\r\n"} {
			if got, _ := listen(strings.NewReader(strings.ReplaceAll(plain, "\n", end))); !cmp.Equal(want, got) {
				t.Errorf("%q with %q: %q; want %q", stream, end, got, want)
			}
		}
	})
}
