package mapfile_test

import (
	"errors"
	"fmt"
	"strings"
	"testing/fstest"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/mapfile"
)

// All that is wrong with a file comes at once, each with its place.
func ExampleRead() {
	files := fstest.MapFS{"map.yaml": {Data: []byte(`
skills:
  - id: triage
    descripton: Sort a request.
  - dir: skills/billing
steps:
  - from: triage
    to: billing
    guard: {score: {gte: 010}}
`)}}
	_, err := mapfile.Read(files, "map.yaml")
	var faults mapfile.Faults
	if errors.As(err, &faults) {
		for _, f := range faults {
			fmt.Printf("%s %s\n  %s\n  %s\n", f.Pos, f.Code, f.Message, f.Hint)
		}
	}
	// Output:
	// map.yaml:4:5 unknown-key
	//   a skill has no key "descripton"
	//   did you mean "description"?
	// map.yaml:5:10 bad-file
	//   there is no folder "skills/billing"
	//   correct the path; it starts from the folder of the map file
	// map.yaml:9:26 wrong-type
	//   010 is not a number in JSON notation
	//   write 10, or "010" for a word
}

// What Compile reports by address becomes a line of the file.
func ExampleFile_Locate() {
	files := fstest.MapFS{"map.yaml": {Data: []byte(`
skills: [{id: triage}, {id: escalate}]
start: triage
steps:
  - {from: triage, to: escalation}
`)}}
	f, err := mapfile.Read(files, "map.yaml")
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = spoor.Compile(f.Map, nil)
	var problems spoor.Problems
	if errors.As(err, &problems) {
		fmt.Println(f.Locate(problems))
	}
	// Output:
	// map.yaml:5:24: steps[0].to: unknown-skill: there is no skill "escalation" (did you mean "escalate"?)
}

// A skill in a folder is read with the file and line of its body, and written
// inline.
func ExampleFile_Marshal() {
	files := fstest.MapFS{
		"map.yaml": {Data: []byte("skills: [{dir: skills/billing}]\nstart: billing\nneverRoutes: hello\n")},
		"skills/billing/SKILL.md": {Data: []byte(`---
name: billing
description: Answer questions about invoices.
---

# Billing

Look at the invoice.
`)},
	}
	f, err := mapfile.Read(files, "map.yaml")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Map.Skills[0].Source)
	text, err := f.Marshal()
	fmt.Printf("%s%v\n", text, err)
	// Output:
	// {skills/billing/SKILL.md 6 0}
	// skills:
	//   - id: billing
	//     description: Answer questions about invoices.
	//     body: |-
	//       # Billing
	//
	//       Look at the invoice.
	// start:
	//   use: billing
	// neverRoutes:
	//   - hello
	// <nil>
}

// Facts are what one decision looks at; a graph decides it.
func ExampleReadFacts() {
	const text = `
currentSkillId: triage
iteration: 2
toolResults:
  - {toolName: assess_risk, result: {riskLevel: high}}
`
	facts, err := mapfile.ReadFacts(strings.NewReader(text), "facts.yaml", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(facts.Cursor, facts.Results[0].Tool, facts.Results[0].Text)

	_, err = mapfile.ReadFacts(strings.NewReader("curentSkillId: triage"), "facts.yaml", nil)
	fmt.Println(err)
	// Output:
	// triage assess_risk {"riskLevel":"high"}
	// facts.yaml:1:1: curentSkillId: unknown-key: facts have no key "curentSkillId" (did you mean "currentSkillId"?)
}
