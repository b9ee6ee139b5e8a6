package check

// refused are the codes with which a map is refused before there is a graph to
// check: those of mapfile, those of spoor.Compile, and what an agent and the
// command add. What no map file shows alone has no Example.
var refused = []Rule{
	// Reading a file.
	{
		Code:  "syntax",
		Level: Error,
		Doc: `The file is not YAML, or uses a part of YAML that is not read. Not read are anchors, aliases, tags, merge keys,
complex keys, directives and second documents. The reading of the file ends there, since what follows could mean
anything.

A SKILL.md also needs its front matter: name and description between two lines of ---. A file that is not UTF-8 has
this code too.

The hint says what to write instead. Most often a text holds a colon and wants quotes.`,
		Example: `
skills:
  - id: look
    description: Read one port: its counters.  # want syntax
start: look
`,
	},
	{
		Code:  "unknown-key",
		Level: Error,
		Doc: `A mapping has a key that nothing reads. It would do nothing, and nobody would notice: a guard that is misspelt
is a step without a guard.

The hint names the key that is nearest, or all that there are.`,
		Example: `
skills:
  - id: look
    descripton: Read the counters of a port.  # want unknown-key
start: look
`,
	},
	{
		Code:  "duplicate-key",
		Level: Error,
		Doc: `A key stands twice in one mapping. Parsers of YAML take the first, or the last; here neither is.

Keep one. Two conditions on one field of a guard stand under one key: score: {gte: 0.5, lt: 1}.`,
		Example: `
skills:
  - {id: look}
  - {id: repair}
start: look
steps:
  - from: look
    to: repair
    onToolReturn: read_port
    onToolReturn: read_ports  # want duplicate-key
`,
	},
	{
		Code:  "missing-key",
		Level: Error,
		Doc: `A mapping lacks a key that it needs. A skill needs an id, a rule its use, a step its from and to. Nothing is guessed
in its place.

Write the key.`,
		Example: `
skills:
  - {id: look}
start:
  rules:
    - match: {keywords: [port]}  # want missing-key
`,
	},
	{
		Code:  "exclusive-keys",
		Level: Error,
		Doc: `Two keys stand together of which only one may be there. Such are body and bodyFile, dir and id, command and url: each
would say something else about the same thing.

Keep one of them.`,
		Example: `
skills:
  - {id: look}
start: look
mcpServers:
  ports:
    command: port-server
    url: https://ports.example.com/mcp  # want exclusive-keys
`,
	},
	{
		Code:  "duplicate-name",
		Level: Error,
		Doc: `Two tools, facts or instructions have one name, or a skill lists a tool twice. What speaks of the name would speak
of both.

Rename one, or drop it. Two skills may list the same tool.`,
		Example: `
skills:
  - id: look
    tools: [read_port, read_ports, read_port]  # want duplicate-name
start: look
`,
	},
	{
		Code:  "wrong-type",
		Level: Error,
		Doc: `A value is of another type than the one that is wanted, is empty where it may not be, or is a word outside a closed
set.

The YAML is that of version 1.2: yes, no, on, off and dates are words, and true and false are the only truth values. A
number is written as in JSON; 010, 0x1F, 1_000 and .5 are refused, for each of them is read in more than one way.

The hint says what to write.`,
		Example: `
skills:
  - {id: look}
start: look
scopeTools: yes  # want wrong-type
`,
	},
	{
		Code:  "bad-file",
		Level: Error,
		Doc: `The map names a file or a folder that cannot be used. It is not there, holds no text or no SKILL.md, is too large, or
lies outside the folder of the map file: a map that reads files from anywhere could not be given to anybody.

Correct the path. It is relative to the folder of the map file, with slashes, and may not contain "..".`,
		Example: `
skills:
  - id: look
    bodyFile: bodies/look.md  # want bad-file
start: look
`,
	},
	{
		Code:  "unset-variable",
		Level: Error,
		Doc: `The environment or a header of an MCP server names a variable, as ${NAME}, that is not set where the map is walked. A
check-up does not report it, since a map is checked where its secrets are not.

Set the variable, or take it off the server.`,
	},
	{
		Code:  "bad-skill",
		Level: Error,
		Doc: `A SKILL.md breaks the rules of the Agent Skills format. Its name is not that of its folder, or not 1 to 64 lower-case
letters and digits with single hyphens between them; its description is empty or longer than 1024 characters; or there
is no text behind the front matter. Other hosts that read the format would refuse the folder, or read it otherwise.

Rename the folder or the skill, or write the text. This is skills/billing/SKILL.md:

    ---
    name: billing
    description: Answer a question about a bill. Use it for anything that was charged.
    ---
    Find the bill first.`,
	},
	{
		Code:  "literal-value",
		Level: Error,
		Doc: `A value of env or of headers stands in the file. Such values are mostly secrets, and a map is shared, recorded and
committed.

Write ${NAME}, and put the whole value into the environment variable NAME. The value is read when a server is started,
and never recorded.`,
		Example: `
skills:
  - {id: look}
start: look
mcpServers:
  ports:
    command: port-server
    env: {PORT_TOKEN: hunter2}  # want literal-value
`,
	},
	{
		Code:  "more",
		Level: Error,
		Doc: `A file has more than a hundred faults. The first hundred are listed, and this says how many there are more.

Correct some, and check again.`,
	},

	// Compiling a map.
	{
		Code:  "duplicate-skill",
		Level: Error,
		Doc: `Two skills have one id. Rules and steps name a skill by its id, so they would lead to both.

Rename one of them. The id of a skill from a folder is the name in its SKILL.md.`,
		Example: `
skills:
  - {id: look}
  - {id: look}  # want duplicate-skill
start: look
`,
	},
	{
		Code:  "unknown-skill",
		Level: Error,
		Doc: `A rule, an entry or a step names a skill that is not in the list of skills.

Declare it, or correct the name. The hint names one that is spelt like it.`,
		Example: `
skills:
  - {id: triage}
  - {id: escalation}
start: triage
steps:
  - {from: triage, to: escalaton, onToolReturn: assess_risk}  # want unknown-skill
`,
	},
	{
		Code:  "two-starts",
		Level: Error,
		Doc: `A start has more than one of use, rules and entries. They are three answers to one question: always the same skill,
the first rule that claims the message, or the entry that is chosen from a menu.

Keep one. A default beside rules is a last rule without match and when.`,
		Example: `
skills:
  - {id: triage}
  - {id: billing}
start:
  use: triage
  rules:  # want two-starts
    - {use: billing, match: {keywords: [bill]}}
`,
	},
	{
		Code:  "two-conditions",
		Level: Error,
		Doc: `A rule or an entry has both match and when. It has one condition, so that the reason of a move is one thing: the
words of the message, or an expression.

Keep one of them. An expression can ask for words too: userMessage.contains('bill').`,
		Example: `
skills:
  - {id: billing}
start:
  rules:
    - {use: billing, match: {keywords: [bill]}, when: iteration == 1}  # want two-conditions
`,
	},
	{
		Code:  "misplaced-examples",
		Level: Error,
		Doc: `Examples stand beside a rule that they cannot test. An unconditional rule claims every message. The examples of an
intent belong into its match, where a classifier learns from them.

Give the rule a condition, move the examples into the match, or drop them.`,
		Example: `
skills:
  - {id: billing}
start:
  rules:
    - use: billing
      examples: [where is my bill]  # want misplaced-examples
`,
	},
	{
		Code:  "mixed-step",
		Level: Error,
		Doc: `A step has a when beside onToolReturn, onToolStatus or guard. A when is the whole condition of its step; what the
others mean beside it would have to be guessed.

Say all of it in the when, which knows toolName, status, result and json, or use a guard instead of the when.`,
		Example: `
skills:
  - {id: triage}
  - {id: billing}
start: triage
steps:
  - {from: triage, to: billing, onToolReturn: find_order, when: json.paid}  # want mixed-step
`,
	},
	{
		Code:  "bad-guard",
		Level: Error,
		Doc: `A guard cannot be judged. It has no conditions; a key has no operator; an operator is none of eq, ne, gt, gte, lt,
lte, in and notIn; an ordered operator has a truth value or null; in or notIn has no list, an empty one, or one of more
than 1000 entries; a value is an object; or a key is one of those that every object has in JavaScript, such as
constructor, which would mislead readers of a recording.

A scale that cannot be used has this code too: for a key that is no field of a result, without words, or with a word
twice. So has a guard that compares with a word that its scale does not hold.

The hint says what to write.`,
		Example: `
skills:
  - {id: look}
  - {id: repair}
start: look
steps:
  - from: look
    to: repair
    onToolReturn: read_port
    guard:
      errors: {above: 1000}  # want bad-guard
`,
	},
	{
		Code:  "bad-match",
		Level: Error,
		Doc: `A matcher cannot be judged. It has none or several of regex, keywords, all and intent; one of them is empty or
blank; flags are others than i, s and m; an intent stands inside all; or the regex is not one that RE2 reads. RE2 has no
look-ahead and no back-reference, for they can take any time on a message that a stranger writes.

Use all instead of a look-ahead: it asks for several matchers at once.`,
		Example: `
skills:
  - {id: billing}
start:
  rules:
    - use: billing
      match: {regex: '(?=.*late)invoice'}  # want bad-match
`,
	},
	{
		Code:  "bad-condition",
		Level: Error,
		Doc: `A when is not an expression in CEL that is true or false, or it uses a variable that there is not. Rules and trees know
userMessage, iteration, history, currentSkillId and toolResults; a step also knows toolName, result, status and json.

A single name is the name of a condition that a program binds; a decision of a tree without a when has this code too.`,
		Example: `
skills:
  - {id: billing}
start:
  rules:
    - {use: billing, when: message.contains('bill')}  # want bad-condition
`,
	},
	{
		Code:  "bad-status",
		Level: Error,
		Doc: `A status is none of success, partial, pending, failure, denied, invalid and absent, or the list of them is empty. The
set is closed, so that a step cannot wait for a status that no tool can have.

Write one of the set. What a tool reports in words of its own is a field of its result: use a guard.`,
		Example: `
skills:
  - {id: look}
  - {id: repair}
start: look
steps:
  - {from: look, to: repair, onToolStatus: failed}  # want bad-status
`,
	},
	{
		Code:  "bad-routing",
		Level: Error,
		Doc: `What chooses the start does not fit the start, or is out of range. There is classify beside use or entries, scoredBy
without entries, routing without classify, a nearTieMargin that is not from 0 to 1, a menuSize that is no whole number
from 1, or a floor that is not finite. It would be read and do nothing, or mean nothing.

Name a classifier, move the key to the start that it belongs to, or correct the number.`,
		Example: `
skills:
  - {id: triage}
  - {id: billing}
start:
  rules:
    - {use: billing, match: {keywords: [bill]}}
    - {use: triage}
  routing: {menuSize: 2}  # want bad-routing
`,
	},
	{
		Code:  "intent-without-classify",
		Level: Error,
		Doc: `A rule matches an intent, and the start names no classifier. An intent is judged by how near a message is to its
sentence and examples, and nothing here would judge that: the rule would never claim a message.

Name a classifier under classify; keyword needs nothing else. Or use keywords instead of the intent.`,
		Example: `
skills:
  - {id: billing}
start:
  rules:
    - use: billing
      match: {intent: a question about a bill, examples: [what do I owe]}  # want intent-without-classify
`,
	},
	{
		Code:  "bad-never-route",
		Level: Error,
		Doc: `A row of neverRoutes is blank, or says the same as an earlier one: case and white space do not count. One row
already holds its phrase against every rule.

Write a phrase, or drop the row.`,
		Example: `
skills:
  - {id: billing}
start:
  rules:
    - {use: billing, match: {keywords: [bill]}, examples: [my bill]}
neverRoutes:
  - what is the weather
  - What is  the weather  # want bad-never-route
`,
	},
	{
		Code:  "tree-with-flat",
		Level: Error,
		Doc: `A map has a tree, and start, steps or neverRoutes beside it. A tree decides in each iteration which skill is active,
so there is nothing to start and nowhere to step.

Keep the tree, or write it as start and steps.`,
		Example: `
skills:
  - {id: io}
  - {id: triage}
start: triage  # want tree-with-flat
tree:
  when: userMessage.contains('io')
  whenTrue: {skill: io}
  whenFalse: {skill: triage}
`,
	},
	{
		Code:  "tree-leaves",
		Level: Error,
		Doc: `The leaves of a tree are not exactly the skills of the map, or the tree is none. A skill is no leaf, and would never be
active; a leaf names no skill that there is; or a node is neither a leaf nor a decision with two sides. A tree that is
very large or deep has this code too.

Add the leaf or the side that is missing, or take the skill off the list.`,
		Example: `
skills:
  - {id: io}
  - {id: triage}
  - {id: billing}  # want tree-leaves
tree:
  when: userMessage.contains('io')
  whenTrue: {skill: io}
  whenFalse: {skill: triage}
`,
	},

	// Running a map, which depends on the program too.
	{
		Code:  "unknown-tool",
		Level: Error,
		Doc: `A skill lists a tool that the agent does not have. The model would be told of a tool that cannot be called.

Give the agent a tool of that name, declare one with fixed results under tools in the map file, or take it off the
skill. A check-up does not see the tools that a program brings, so only a run reports this.`,
	},
	{
		Code:  "bad-tool",
		Level: Error,
		Doc: `A tool cannot be called. It has no name, the name read_skill, or that of another tool; its inputSchema is no JSON Schema
of an object; or one of its fixed results is not JSON, has no status of the set, has a condition that is not CEL, or is
never given, since one without a condition stands before it:

    tools:
      - name: read_port
        results:
          - {result: {errors: 0}}
          - {if: args.n == 3, result: {errors: 41200}}

Put the result without a condition at the end.`,
	},
	{
		Code:  "bad-script",
		Level: Error,
		Doc: `The script that stands in for a model cannot be read. It is not YAML, has no rules, or has a rule that has no condition,
that neither says nor calls anything, or whose CEL is wrong. The place is one in the script.

A condition is a text, so one that always holds is written with quotes:

    rules:
      - if: skill == 'look'
        call: {tool: read_port, args: {n: 3}}
      - if: "true"
        say: I cannot tell.`,
	},
	{
		Code:  "bad-case",
		Level: Error,
		Doc: `A case of spoor test asks for what cannot be. Its by names neither a cause nor a rule or entry of the start; its closed
names no step and no skill; or it has at on a tree, which has no steps.

    cases:
      - {say: where is my bill, starts: billing, by: entry}
      - {at: triage, results: [{tool: find_order}], leads: billing}

Correct the name.`,
	},
	{
		Code:  "unsupported",
		Level: Error,
		Doc: `The map says something that whoever runs it cannot honour. Such is a condition by a name that nothing is bound to. It is
refused and not ignored: a run that leaves out a part of its map would be a run of another map.

spoor check, which runs nothing, says so in a note. Leave it out, write the condition in CEL, or run the map in a
program that can.`,
	},
}
