package model_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/spoorhq/spoor/model"
)

func TestSumIsSHA256(t *testing.T) {
	for _, n := range []int{0, 1, 63, 64, 511, 512, 513, 1 << 16} {
		data := strings.Repeat("x", n)
		if got, want := model.Sum(data), sha256.Sum256([]byte(data)); got != want {
			t.Errorf("%d bytes: got %s, want %x", n, got, want)
		}
	}
}

func TestSumOfShortTextAllocatesNothing(t *testing.T) {
	data := strings.Repeat("x", 512)
	if n := testing.AllocsPerRun(100, func() { model.Sum(data) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestADigestIsTheSameAfterText(t *testing.T) {
	for _, d := range []model.Digest{{}, model.Sum(""), model.Sum("hello")} {
		text, err := d.MarshalText()
		if err != nil || string(text) != d.String() || len(text) != 64 {
			t.Errorf("%s is written as %s, %v", d, text, err)
		}
		var back model.Digest
		if err := back.UnmarshalText(text); err != nil || back != d {
			t.Errorf("%s comes back as %s, %v", d, back, err)
		}
		data, err := json.Marshal(map[model.Digest]model.Digest{d: d})
		if want := fmt.Sprintf(`{"%s":"%s"}`, d, d); err != nil || string(data) != want {
			t.Errorf("got %s, %v", data, err)
		}
	}
}

func TestADigestIsReadInEitherCase(t *testing.T) {
	want := model.Sum("hello")
	var got model.Digest
	if err := got.UnmarshalText([]byte(strings.ToUpper(want.String()))); err != nil || got != want {
		t.Error(got, err)
	}
}

func TestTextThatIsNoDigestIsRefused(t *testing.T) {
	for text, want := range map[string]string{
		"":                       "64 hexadecimal digits, not 0 characters",
		"abc":                    "64 hexadecimal digits, not 3 characters",
		strings.Repeat("a", 65):  "64 hexadecimal digits, not 65 characters",
		strings.Repeat("g", 64):  "invalid byte",
		strings.Repeat("é", 32):  "invalid byte",
		strings.Repeat(" ", 64):  "invalid byte",
		strings.Repeat("a", 128): "not 128 characters",
	} {
		var d model.Digest
		if err := d.UnmarshalText([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

func TestTheBytesOfAPartDoNotTravelWithIt(t *testing.T) {
	p := model.NewPart(model.User, model.Text, "hello")
	data, err := json.Marshal(p)
	want := fmt.Sprintf(`{"role":"user","kind":"text","piece":"%s"}`, model.Sum("hello"))
	if err != nil || string(data) != want {
		t.Errorf("got  %s, %v\nwant %s", data, err, want)
	}
}

func ExampleNewPart() {
	p := model.NewPart(model.Tool, model.Result, `{"risk":"high"}`)
	p.Call, p.Tool = "i1.1", "assess_risk"
	fmt.Println(p.Role, p.Kind, p.Data)
	fmt.Println(p.Piece == model.Sum(p.Data), p.Piece)
	// Output:
	// tool result {"risk":"high"}
	// true 765dece21e98752badae3e7a66d5599c98f89c399a2f5d6c76c8b6968cd69657
}
