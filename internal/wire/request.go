package wire

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spoorhq/spoor/model"
)

// A Message is a run of parts that one side speaks: the model's own, or all
// that comes to it from elsewhere, which are a person's words, results, notes
// and the menu.
type Message struct {
	Assistant bool
	Parts     []model.Part
}

// Messages splits a request: what it begins with and belongs to the system,
// and the conversation after it, in which the sides alternate. Empty texts are
// left out, since providers refuse them; an empty result is one. So is thinking
// that nothing follows in its message. What a call brought that is not in the
// request before it is told as if a person had, and names its tool.
func Messages(parts []model.Part) (system []model.Part, list []Message) {
	for len(parts) > 0 && parts[0].Role == model.System && parts[0].Kind == model.Text {
		if strings.TrimSpace(parts[0].Data) != "" {
			system = append(system, parts[0])
		}
		parts = parts[1:]
	}
	called := map[string]bool{}
	for _, p := range parts {
		switch {
		case p.Kind == model.Call:
			called[p.Call] = true
		case p.Role != model.Tool || called[p.Call]:
		case p.Kind == model.Result:
			p = model.NewPart(model.User, model.Text, "(from the tool "+p.Tool+") "+p.Data)
		default:
			p.Role, p.Call = model.User, ""
		}
		if strings.TrimSpace(p.Data) == "" && p.Kind != model.Result && p.Kind != model.Call && p.Kind != model.Thinking {
			continue
		}
		assistant := p.Role == model.Assistant
		if !assistant {
			list = thoughtful(list)
		}
		if n := len(list); n == 0 || list[n-1].Assistant != assistant {
			list = append(list, Message{Assistant: assistant})
		}
		m := &list[len(list)-1]
		m.Parts = append(m.Parts, p)
	}
	return system, thoughtful(list)
}

// thoughtful leaves out the thinking that the last message ends with.
func thoughtful(list []Message) []Message {
	n := len(list)
	if n == 0 {
		return list
	}
	m := &list[n-1]
	for k := len(m.Parts); k > 0 && m.Parts[k-1].Kind == model.Thinking; k-- {
		m.Parts = m.Parts[:k-1]
	}
	if len(m.Parts) == 0 {
		return list[:n-1]
	}
	return list
}

// Note frames what spoor tells the model in the middle of a conversation, so
// that it is not taken for the words of a person.
func Note(text string) string { return "<system-note>\n" + text + "\n</system-note>" }

// Unseen stands for content that a model cannot be shown.
func Unseen(p *model.Part) string {
	return fmt.Sprintf("(%d bytes of %s, which this model cannot be shown)", len(p.Data), p.Media)
}

// Arguments is the arguments of a call as providers take them back: one JSON
// object. None at all is an empty one, and what a model wrote and is none is
// kept as the one field of an object.
func Arguments(data string) string {
	if strings.TrimSpace(data) == "" {
		return "{}"
	}
	var object map[string]json.RawMessage
	if json.Unmarshal([]byte(data), &object) == nil && object != nil {
		return data
	}
	b, _ := json.Marshal(map[string]string{"not_an_object": data})
	return string(b)
}

// Names are the tools of a request as a provider takes them: letters, digits,
// _ and - alone, and not too long. A name that fits is itself. The same request
// gives the same names.
type Names struct{ there, back map[string]string }

// NewNames names the tools that a request offers, and those of its calls.
func NewNames(req *model.Request, longest int) *Names {
	n := &Names{map[string]string{}, map[string]string{}}
	var odd []string
	add := func(name string) {
		if _, known := n.there[name]; known {
			return
		}
		if fitting(name) == name && name != "" && len(name) <= longest {
			n.there[name], n.back[name] = name, name
			return
		}
		n.there[name] = "" // named below, when all that fit have theirs
		odd = append(odd, name)
	}
	for _, t := range req.Tools {
		add(t.Name)
	}
	for _, p := range req.Parts {
		if p.Kind == model.Call {
			add(p.Tool)
		}
	}
	for _, name := range odd {
		base := fitting(name)
		if base == "" {
			base = "tool"
		}
		try := base[:min(len(base), longest)]
		for i := 2; n.back[try] != ""; i++ {
			end := "_" + strconv.Itoa(i)
			try = base[:min(len(base), longest-len(end))] + end
		}
		n.there[name], n.back[try] = try, name
	}
	return n
}

// There is the name of a tool of the request at the provider.
func (n *Names) There(name string) string { return n.there[name] }

// Back is the tool that a model names. A name that is not of the request stays
// as it is.
func (n *Names) Back(name string) string {
	if own, ok := n.back[name]; ok {
		return own
	}
	return name
}

func fitting(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return '_'
	}, name)
}

// IDs are the ids of the calls of a request as its provider takes them: the
// one that it gave itself if no other call has it, and else spoor's own,
// without the dot.
func IDs(parts []model.Part, provider string) map[string]string {
	ids, taken := map[string]string{}, map[string]bool{}
	for _, p := range parts {
		if p.Kind != model.Call {
			continue
		}
		var own struct{ ID string }
		id := fitting(p.Call)
		if Untag(p.Provider, provider, &own) && own.ID != "" && own.ID == fitting(own.ID) && len(own.ID) <= 64 && !taken[own.ID] {
			id = own.ID
		}
		for taken[id] {
			id += "_"
		}
		ids[p.Call], taken[id] = id, true
	}
	return ids
}

// Tag writes what an adapter needs to send a part back, under the name of its
// provider, so that no other one reads it.
func Tag(provider string, v any) string {
	b, err := json.Marshal(map[string]any{provider: v})
	if err != nil {
		panic("wire: " + err.Error()) // adapters tag with strings
	}
	return string(b)
}

// Untag reads what Tag wrote for the same provider.
func Untag(tag, provider string, v any) bool {
	if tag == "" {
		return false
	}
	var all map[string]json.RawMessage
	if json.Unmarshal([]byte(tag), &all) != nil || all[provider] == nil || string(all[provider]) == "null" {
		return false
	}
	return json.Unmarshal(all[provider], v) == nil
}

// Readable reports whether a document is text, which is what may be shown as
// such, whatever its media type says.
func Readable(data string) bool { return utf8.ValidString(data) && !strings.Contains(data, "\x00") }

// Picture reports whether models can be shown images of a media type.
func Picture(media string) bool {
	media, _, _ = strings.Cut(media, ";")
	switch strings.ToLower(strings.TrimSpace(media)) {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return true
	}
	return false
}

// Object reports whether a text is one JSON object, which is what a schema and
// the arguments of a call must be.
func Object(text string) bool {
	var object map[string]json.RawMessage
	return json.Unmarshal([]byte(text), &object) == nil && object != nil
}
