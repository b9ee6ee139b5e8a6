package wire

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/spoorhq/spoor/model"
)

func TestMessages(t *testing.T) {
	part := func(role model.Role, kind model.Kind, text string) model.Part { return model.NewPart(role, kind, text) }
	of := func(p model.Part, call string) model.Part { p.Call, p.Tool = call, "look"; return p }
	system, list := Messages([]model.Part{
		part(model.System, model.Text, "s1"), part(model.System, model.Text, ""), part(model.System, model.Text, "s2"),
		part(model.User, model.Text, "u1"), part(model.Assistant, model.Text, "\n"), part(model.User, model.Text, "u2"),
		part(model.Assistant, model.Thinking, ""), part(model.Assistant, model.Text, "a"), part(model.Assistant, model.Call, ""), part(model.Assistant, model.Thinking, "cut"),
		part(model.Tool, model.Result, ""), part(model.System, model.Text, "late"), part(model.User, model.Text, " "), part(model.System, model.Menu, "m"),
		part(model.Assistant, model.Thinking, "alone"), of(part(model.Tool, model.Result, "r"), "i9.1"), of(part(model.Tool, model.Document, "d"), "i9.1"),
		part(model.Assistant, model.Thinking, "last"), part(model.Assistant, model.Thinking, "of all"),
	})
	var got []string
	add := func(side string, parts []model.Part) {
		for _, p := range parts {
			side += fmt.Sprintf(" %s:%s", p.Kind, p.Data)
		}
		got = append(got, side)
	}
	add("system", system)
	for _, m := range list {
		add(map[bool]string{true: "model", false: "others"}[m.Assistant], m.Parts)
	}
	want := []string{"system text:s1 text:s2", "others text:u1 text:u2", "model thinking: text:a call:", "others result: text:late menu:m text:(from the tool look) r document:d"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestArguments(t *testing.T) {
	for data, want := range map[string]string{
		`{"z":9007199254740993,"a":1.0}`: `{"z":9007199254740993,"a":1.0}`,
		` {} `:                           ` {} `,
		"":                               "{}",
		" \n":                            "{}",
		"null":                           `{"not_an_object":"null"}`,
		"[1]":                            `{"not_an_object":"[1]"}`,
		`{"a":`:                          `{"not_an_object":"{\"a\":"}`,
		`{} {}`:                          `{"not_an_object":"{} {}"}`,
	} {
		if got := Arguments(data); got != want {
			t.Errorf("%q: %s; want %s", data, got, want)
		}
	}
}

func TestNames(t *testing.T) {
	n := NewNames(request("read.port", "read_port", "read port", "", "tool", "ünïcode", strings.Repeat("x", 70), strings.Repeat("x", 71)), 64)
	for name, want := range map[string]string{
		"read_port": "read_port", "read.port": "read_port_2", "read port": "read_port_3", "tool": "tool", "": "tool_2", "ünïcode": "_n_code",
		strings.Repeat("x", 70): strings.Repeat("x", 64), strings.Repeat("x", 71): strings.Repeat("x", 62) + "_2",
	} {
		if got := n.There(name); got != want || n.Back(got) != name {
			t.Errorf("%q is %q there, and %q back; want %q", name, got, n.Back(got), want)
		}
	}
	if got := n.Back("unknown"); got != "unknown" {
		t.Errorf("a name of nobody comes back as %q", got)
	}
}

func FuzzNames(f *testing.F) {
	f.Add("read.port\nread_port\nread port", 64)
	f.Add("a.\na_\na_2\na:", 3)
	f.Fuzz(func(t *testing.T, list string, longest int) {
		longest = 8 + (longest&0xff)%100
		names := strings.Split(list, "\n")
		n := NewNames(request(names...), longest)
		seen := map[string]string{}
		for _, name := range names {
			there := n.There(name)
			if there == "" || len(there) > longest || fitting(there) != there || n.Back(there) != name {
				t.Errorf("%q is %q there, and %q back", name, there, n.Back(there))
			}
			if other, ok := seen[there]; ok && other != name {
				t.Errorf("%q and %q are both %q", name, other, there)
			}
			seen[there] = name
			if fitting(name) == name && name != "" && len(name) <= longest && there != name {
				t.Errorf("%q fits, and is %q", name, there)
			}
		}
	})
}

func request(tools ...string) *model.Request {
	var req model.Request
	for i, name := range tools {
		if i%2 == 0 {
			req.Tools = append(req.Tools, model.ToolSpec{Name: name})
			continue
		}
		p := model.NewPart(model.Assistant, model.Call, "{}")
		p.Tool = name
		req.Parts = append(req.Parts, p)
	}
	return &req
}

func TestIDs(t *testing.T) {
	var parts []model.Part
	for _, c := range []struct{ id, tag string }{
		{"i1.1", Tag("us", map[string]string{"id": "call_0"})},
		{"i1.2", Tag("us", map[string]string{"id": "call_0"})}, // again
		{"i1.3", Tag("them", map[string]string{"id": "call_1"})},
		{"i1.4", Tag("us", map[string]string{"id": "no id"})},
		{"i1.5", Tag("us", map[string]string{"id": strings.Repeat("x", 65)})},
		{"i1.6", Tag("us", map[string]int{"id": 7})},
		{"i1.7", "{"},
		{"t2i1.1", Tag("us", map[string]string{"id": "t2i1_2"})}, // as if to mock us
		{"t2i1.2", ""},
	} {
		p := model.NewPart(model.Assistant, model.Call, "{}")
		p.Call, p.Provider = c.id, c.tag
		parts = append(parts, p)
	}
	want := map[string]string{
		"i1.1": "call_0", "i1.2": "i1_2", "i1.3": "i1_3", "i1.4": "i1_4", "i1.5": "i1_5", "i1.6": "i1_6", "i1.7": "i1_7",
		"t2i1.1": "t2i1_2", "t2i1.2": "t2i1_2_",
	}
	if diff := cmp.Diff(want, IDs(parts, "us")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestATagIsForItsProviderAlone(t *testing.T) {
	tag := Tag("us", map[string]string{"id": "<call>"})
	var v struct{ ID string }
	if !Untag(tag, "us", &v) || v.ID != "<call>" {
		t.Errorf("%s is read as %+v", tag, v)
	}
	for _, tag := range []string{tag, "", "{", "[]", `{"them":null}`, `{"them":[]}`} {
		if Untag(tag, "them", &v) {
			t.Errorf("%q is read by another one", tag)
		}
	}
}

func TestWhatMayBeShown(t *testing.T) {
	for data, want := range map[string]bool{"": true, "caf\u00e9\t\n": true, "caf\xe9": false, "a\x00": false} {
		if Readable(data) != want {
			t.Errorf("%q is readable: %v", data, !want)
		}
	}
	for media, want := range map[string]bool{"image/png": true, "Image/JPEG; q=1": true, "image/svg+xml": false, "": false} {
		if Picture(media) != want {
			t.Errorf("%q is a picture: %v", media, !want)
		}
	}
	for text, want := range map[string]bool{` {"a":1e999} `: true, "{}": true, "": false, "null": false, "[]": false, "{} {}": false, "{": false} {
		if Object(text) != want {
			t.Errorf("%q is an object: %v", text, !want)
		}
	}
}
