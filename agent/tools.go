package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"slices"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/internal/nearest"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/tool"
	"github.com/spoorhq/spoor/walk"
)

// A toolset is the tools of one turn. It never changes.
type toolset struct {
	byName map[string]*tool.Tool
	offer  []event.Tool // all that may be offered, as a recording has them
	specs  map[string]model.ToolSpec
}

// allTools are those of a Config, and those that it discovers.
func allTools(ctx context.Context, c *Config) ([]tool.Tool, error) {
	if c.Discover == nil {
		return c.Tools, nil
	}
	more, err := c.Discover(ctx)
	if err != nil {
		return nil, fmt.Errorf("the tools cannot be listed: %w", err)
	}
	return slices.Concat(c.Tools, more), nil
}

// toolsNow are the tools of a turn that begins. What is discovered may have
// changed since New looked at it: a tool that cannot be told from another is
// left out, and what is amiss is logged.
func (a *Agent) toolsNow(ctx context.Context) (*toolset, error) {
	if a.fixed != nil {
		return a.fixed, nil
	}
	list, err := allTools(ctx, &a.config)
	if err != nil {
		return nil, err
	}
	set := &toolset{byName: map[string]*tool.Tool{}, specs: map[string]model.ToolSpec{walk.ReadSkill: a.read}}
	for i := range list {
		t := &list[i]
		if wrong, _ := badTool(t, i, set.byName[t.Name] != nil); wrong != "" {
			continue // toolProblems tells it
		}
		spec := model.ToolSpec{Name: t.Name, Description: t.Description, Schema: t.Schema}
		data, err := json.Marshal(spec)
		if err != nil {
			return nil, fmt.Errorf("tool %s: %w", t.Name, err)
		}
		offer := event.Tool{Name: t.Name, Piece: model.Sum(string(data)), Data: string(data)}
		if t.Output != "" {
			offer.Output, offer.OutputData = model.Sum(t.Output), t.Output
		}
		set.byName[t.Name], set.specs[t.Name] = t, spec
		set.offer = append(set.offer, offer)
	}
	if a.config.Discover != nil {
		for _, p := range toolProblems(&a.config, list) {
			if _, told := a.told.LoadOrStore(p.Message, true); !told {
				cmp.Or(a.config.Log, slog.Default()).Warn(p.Message, "code", p.Code, "ref", p.Ref, "hint", p.Hint)
			}
		}
	}
	return set, nil
}

// toolProblems compares the tools that skills list with those there are.
func toolProblems(c *Config, tools []tool.Tool) (ps spoor.Problems) {
	add := func(code string, ref spoor.Ref, hint, format string, args ...any) {
		ps = append(ps, spoor.Problem{Level: "error", Code: code, Ref: ref, Message: fmt.Sprintf(format, args...), Hint: hint})
	}
	names := map[string]bool{}
	for i := range tools {
		if wrong, hint := badTool(&tools[i], i, names[tools[i].Name]); wrong != "" {
			add("bad-tool", "", hint, "%s", wrong)
		}
		names[tools[i].Name] = true
	}
	lists := func(s *spoor.Skill, ref spoor.Ref) {
		for j, name := range s.Tools {
			if names[name] {
				continue
			}
			hint := "give the agent a tool with that name, or take it off the skill"
			if len(ps) < 100 { // to look for what was meant takes its time
				hint = cmp.Or(nearest.Hint(name, maps.Keys(names)), hint)
			}
			add("unknown-tool", ref.Key("tools").At(j), hint, "skill %q lists the tool %q, which the agent does not have", s.ID, name)
		}
	}
	for i := range c.Map.Skills {
		lists(&c.Map.Skills[i], spoor.Ref("skills").At(i))
	}
	for i := range c.Injections.Skills {
		lists(&c.Injections.Skills[i].Skill, spoor.Ref("agent.skills").At(i))
	}
	return ps
}

// badTool says why a tool cannot be offered, and what to do; nothing if it can.
func badTool(t *tool.Tool, i int, taken bool) (wrong, hint string) {
	switch {
	case t.Name == "":
		return fmt.Sprintf("tool %d of the agent has no name", i+1), "name it"
	case t.Name == walk.ReadSkill:
		return fmt.Sprintf("the name %s belongs to the walk itself", walk.ReadSkill), "rename it"
	case taken:
		return fmt.Sprintf("the agent has two tools named %q", t.Name), "rename one of them"
	case t.Call == nil:
		return fmt.Sprintf("tool %q cannot be called: its Call is nil", t.Name), "set Call"
	}
	return "", ""
}
