package mapfile

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/guard"
	"github.com/spoorhq/spoor/internal/yaml"
	"github.com/spoorhq/spoor/match"
)

// Marshal writes f as one map file, in the canonical form: the keys in one
// order, every short form written out, the skills with their bodies inline. The
// same File gives the same bytes, and what Read makes of them equals f, but for
// its places and the Sources of skills.
//
// It fails on what Read would refuse, such as a skill without an id or a text
// that is not UTF-8. Comments and the names of skill folders are not kept.
func (f *File) Marshal() ([]byte, error) {
	root, err := f.node()
	if err != nil {
		return nil, fmt.Errorf("mapfile: %w", err)
	}
	b, err := emit(root)
	if err != nil {
		return nil, fmt.Errorf("mapfile: %w", err)
	}
	d := newDecoder(nil, "map.yaml", 0)
	if v, ok := d.parse(b, "map.yaml", ""); ok {
		v.mapFile(&File{Map: new(spoor.Map)})
	}
	if len(d.faults) > 0 {
		return nil, fmt.Errorf("mapfile: it could not be read back: %w", d.faults.Problems())
	}
	return b, nil
}

func (f *File) node() (*yaml.Node, error) {
	m := f.Map
	if m == nil {
		m = new(spoor.Map)
	}
	var o object
	o.text("name", m.Name)
	list(&o, "skills", m.Skills, skillNode)
	o.start(m.Start)
	list(&o, "steps", m.Steps, stepNode)
	o.tree("tree", m.Tree)
	o.phrases("neverRoutes", m.NeverRoutes)
	if m.ScopeTools != nil {
		o.add("scopeTools", &yaml.Node{Kind: yaml.Bool, Text: strconv.FormatBool(*m.ScopeTools)})
	}
	o.words("knownTools", m.KnownTools)
	if m.Scales != nil {
		var scales object
		for _, key := range slices.Sorted(maps.Keys(m.Scales)) {
			scales.words(key, append([]string{}, m.Scales[key]...))
		}
		o.add("scales", scales.node())
	}
	o.agent(f.Agent)
	o.servers(f.MCPServers)
	list(&o, "tools", f.Tools, toolNode)
	list(&o, "cases", f.Cases, caseNode)
	return o.node(), o.err
}

// An object is a mapping that is being made. What is absent is not added: an
// empty text, a nil slice.
type object struct {
	fields []yaml.Field
	err    error
}

func (o *object) node() *yaml.Node {
	return &yaml.Node{Kind: yaml.Map, Fields: o.fields}
}

// flow is the mapping, between brackets if it fits into a line.
func (o *object) flow() *yaml.Node {
	n := o.node()
	n.Flow = true
	return n
}

func textNode(s string) *yaml.Node { return &yaml.Node{Kind: yaml.String, Text: s} }

func (o *object) add(key string, n *yaml.Node) {
	o.fields = append(o.fields, yaml.Field{Key: textNode(key), Value: n})
}

func (o *object) text(key, s string) {
	if s != "" {
		o.add(key, textNode(s))
	}
}

func (o *object) textOrNull(key, s string) {
	if s == "" {
		o.add(key, new(yaml.Node))
		return
	}
	o.text(key, s)
}

func (o *object) count(key string, n int) {
	if n != 0 {
		o.add(key, &yaml.Node{Kind: yaml.Number, Text: strconv.Itoa(n)})
	}
}

func (o *object) number(key string, f *float64) {
	if f != nil {
		o.add(key, &yaml.Node{Kind: yaml.Number, Text: strconv.FormatFloat(*f, 'g', -1, 64)})
	}
}

// phrases adds a list of texts, each on a line; words adds it between brackets
// if it fits into one.
func (o *object) phrases(key string, texts []string) { o.texts(key, texts, false) }
func (o *object) words(key string, texts []string)   { o.texts(key, texts, true) }

func (o *object) texts(key string, texts []string, flow bool) {
	if texts == nil {
		return
	}
	n := &yaml.Node{Kind: yaml.List, Flow: flow}
	for _, s := range texts {
		n.Items = append(n.Items, textNode(s))
	}
	o.add(key, n)
}

// list adds a list of what make makes of each element.
func list[T any](o *object, key string, elements []T, make func(*object, T) *yaml.Node) {
	if elements == nil {
		return
	}
	n := &yaml.Node{Kind: yaml.List}
	for _, e := range elements {
		var element object
		n.Items = append(n.Items, make(&element, e))
		o.fail(element.err)
	}
	o.add(key, n)
}

func (o *object) fail(err error) {
	if o.err == nil {
		o.err = err
	}
}

// json adds a JSON text as it is, unless it is empty.
func (o *object) json(key, text string, flow bool) {
	if text == "" {
		return
	}
	if !json.Valid([]byte(text)) {
		o.fail(fmt.Errorf("%s is not JSON: %s", key, short(text)))
		return
	}
	n, faults := yaml.Read([]byte(text))
	if len(faults) > 0 {
		o.fail(fmt.Errorf("%s: %s", key, faults[0].Message))
		return
	}
	n.Flow = flow
	for _, field := range n.Fields {
		field.Value.Flow = true
	}
	o.add(key, n)
}

func skillNode(o *object, s spoor.Skill) *yaml.Node {
	o.skill(s)
	return o.node()
}

func (o *object) skill(s spoor.Skill) {
	o.text("id", s.ID)
	o.text("description", s.Description)
	o.text("body", s.Body)
	o.words("tools", s.Tools)
	o.text("autoActivate", string(s.AutoActivate))
	o.text("delivery", string(s.Delivery))
	o.text("model", s.Model)
}

func (o *object) start(s spoor.Start) {
	if s.IsZero() {
		return
	}
	var start object
	start.text("use", s.Use)
	list(&start, "rules", s.Rules, ruleNode)
	start.text("classify", s.Classify)
	if r := s.Routing; r != nil {
		var routing object
		routing.number("nearTieMargin", r.NearTieMargin)
		if r.MenuSize != nil {
			routing.add("menuSize", &yaml.Node{Kind: yaml.Number, Text: strconv.Itoa(*r.MenuSize)})
		}
		routing.number("floor", r.Floor)
		start.add("routing", routing.flow())
	}
	list(&start, "entries", s.Entries, entryNode)
	start.text("scoredBy", s.ScoredBy)
	o.fail(start.err)
	o.add("start", start.node())
}

func ruleNode(o *object, r spoor.Rule) *yaml.Node {
	o.text("use", r.Use)
	o.match(r.Match)
	o.text("when", r.When)
	o.phrases("examples", r.Examples)
	o.text("label", r.Label)
	return o.node()
}

func entryNode(o *object, e spoor.Entry) *yaml.Node {
	if e.Match.IsZero() && e.When == "" && e.Label == "" {
		return textNode(e.Use)
	}
	o.text("use", e.Use)
	o.match(e.Match)
	o.text("when", e.When)
	o.text("label", e.Label)
	return o.node()
}

func (o *object) match(m match.Match) {
	if !m.IsZero() {
		o.add("match", matchNode(new(object), m))
	}
}

func matchNode(o *object, m match.Match) *yaml.Node {
	if m.Regex != nil {
		o.add("regex", textNode(*m.Regex))
	}
	o.text("flags", m.Flags)
	o.words("keywords", m.Keywords)
	list(o, "all", m.All, matchNode)
	if m.Intent != nil {
		o.add("intent", textNode(*m.Intent))
	}
	o.phrases("examples", m.Examples)
	n := o.node()
	n.Flow = m.All == nil && m.Examples == nil
	return n
}

func stepNode(o *object, s spoor.Step) *yaml.Node {
	o.text("from", s.From)
	o.text("to", s.To)
	if source, flags, ok := s.OnToolReturn.Pattern(); ok {
		var pattern object
		pattern.add("regex", textNode(source))
		pattern.text("flags", flags)
		o.add("onToolReturn", pattern.flow())
	} else {
		o.text("onToolReturn", string(s.OnToolReturn))
	}
	if s.OnToolStatus != nil {
		words := []string{}
		for _, status := range s.OnToolStatus {
			words = append(words, string(status))
		}
		o.words("onToolStatus", words)
	}
	o.guard(s.Guard)
	o.text("when", s.When)
	o.text("label", s.Label)
	n := o.node()
	n.Flow = s.Bare()
	return n
}

func (o *object) tree(key string, t *spoor.Tree) {
	if t == nil {
		return
	}
	var node object
	node.text("skill", t.Skill)
	node.text("when", t.When)
	node.text("label", t.Label)
	node.tree("whenTrue", t.WhenTrue)
	node.tree("whenFalse", t.WhenFalse)
	n := node.node()
	n.Flow = t.WhenTrue == nil && t.WhenFalse == nil
	o.add(key, n)
}

// guard adds the mapping that the JSON of a guard is.
func (o *object) guard(g guard.Guard) {
	if g == nil {
		return
	}
	b, err := g.MarshalJSON()
	if err != nil {
		o.fail(err)
		return
	}
	o.json("guard", string(b), false)
}

func (o *object) agent(a Agent) {
	var agent object
	agent.text("model", a.Model)
	agent.text("classifierModel", a.ClassifierModel)
	agent.text("deciderModel", a.DeciderModel)
	if a.Embedding != (Embedding{}) {
		var e object
		e.text("url", a.Embedding.URL)
		e.text("model", a.Embedding.Model)
		agent.add("embedding", e.flow())
	}
	agent.text("system", a.System)
	agent.count("maxIterations", a.MaxIterations)
	agent.count("maxToolCalls", a.Limits.ToolCalls)
	agent.count("maxTokens", a.Limits.Tokens)
	if a.Limits.Cost != 0 {
		agent.number("maxCost", &a.Limits.Cost)
	}
	agent.prices(a.Limits.Prices)
	if a.Limits.Time != 0 {
		agent.text("maxTime", a.Limits.Time.String())
	}
	agent.count("maxPingPong", a.Limits.PingPong)
	agent.count("maxRefusals", a.Limits.Refusals)
	agent.count("maxInlineBytes", a.MaxInlineBytes)
	agent.text("posture", a.Posture)
	agent.text("continuity", a.Continuity)
	agent.text("check", a.Check)
	agent.text("sync", a.Sync)
	list(&agent, "skills", a.Skills, func(o *object, s spoor.AgentSkill) *yaml.Node {
		o.skill(s.Skill)
		o.text("when", s.When)
		return o.node()
	})
	agent.phrases("steering", a.Steering)
	list(&agent, "instructions", a.Instructions, func(o *object, i spoor.Instruction) *yaml.Node {
		o.text("id", i.ID)
		o.text("when", i.When)
		o.text("text", i.Text)
		return o.node()
	})
	list(&agent, "facts", a.Facts, func(o *object, f spoor.Fact) *yaml.Node {
		o.text("id", f.ID)
		o.text("text", f.Text)
		return o.node()
	})
	o.fail(agent.err)
	if len(agent.fields) > 0 {
		o.add("agent", agent.node())
	}
}

func (o *object) prices(list []spoor.Price) {
	if list == nil {
		return
	}
	var prices object
	for _, p := range list {
		var price object
		price.number("input", &p.Input)
		price.number("output", &p.Output)
		if p.Cached != 0 {
			price.number("cached", &p.Cached)
		}
		if p.Written != 0 {
			price.number("written", &p.Written)
		}
		prices.add(p.Model, price.flow())
	}
	o.add("prices", prices.node())
}

func (o *object) servers(list []Server) {
	if list == nil {
		return
	}
	var servers object
	for _, s := range list {
		var server object
		server.text("command", s.Command)
		server.words("args", s.Args)
		server.variables("env", s.Env)
		server.text("url", s.URL)
		server.variables("headers", s.Headers)
		servers.add(s.Name, server.node())
	}
	o.add("mcpServers", servers.node())
}

func (o *object) variables(key string, list []Variable) {
	if list == nil {
		return
	}
	var variables object
	for _, v := range list {
		variables.add(v.Name, textNode("${"+v.From+"}"))
	}
	o.add(key, variables.node())
}

func toolNode(o *object, t Tool) *yaml.Node {
	o.text("name", t.Name)
	o.text("description", t.Description)
	o.json("inputSchema", t.InputSchema, false)
	list(o, "results", t.Results, func(o *object, r Result) *yaml.Node {
		o.text("if", r.If)
		o.json("result", r.Result, true)
		o.text("status", string(r.Status))
		o.text("ask", r.Ask)
		return o.node()
	})
	return o.node()
}

func caseNode(o *object, c Case) *yaml.Node {
	if c.At == "" {
		o.text("say", c.Say)
		o.textOrNull("starts", c.Starts)
		o.text("by", c.By)
		return o.node()
	}
	o.text("at", c.At)
	list(o, "results", c.Results, func(o *object, r CaseResult) *yaml.Node {
		o.text("tool", r.Tool)
		o.json("result", r.Result, true)
		o.text("status", string(r.Status))
		if r.Executed != nil {
			o.add("executed", &yaml.Node{Kind: yaml.Bool, Text: strconv.FormatBool(*r.Executed)})
		}
		n := o.node()
		n.Flow = true
		return n
	})
	o.textOrNull("leads", c.Leads)
	o.phrases("closed", c.Closed)
	return o.node()
}
