package explain

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spoorhq/spoor"
)

// templates are the words of this package: one for each fact that can be
// told. A name in braces stands for a value, and a value is never read as a
// template.
var templates = map[string]string{
	"incomplete": "the recording is incomplete: it ends after event {event}, before its turn did",
	"damaged":    "the recording is incomplete: it could not be read further than {damage}",
	"empty":      "the recording is incomplete: it has no events",

	// a turn
	"message":         "the message: {message}",
	"history":         "{n} parts of the conversation before it",
	"map":             "the map {map}: {skills}, {steps}; {tools}; up to {max}",
	"finished":        "the turn ended with an answer",
	"limited":         "the turn ended with an answer; {limit} cut the work short",
	"spent":           "{spent}",
	"waiting":         "the turn is not over: it waits for a person to answer {call} {tool}, {question}",
	"brought":         "the agent brings along {what}",
	"posture guard":   "reading a skill moves only to what an open menu offers",
	"posture rails":   "reading a skill moves nowhere",
	"stood":           "the conversation stood in {skill}",
	"were on":         "switched on before: {skills}",
	"hidden":          "hidden from this turn: {skills}",
	"decider":         "a model chooses from the menu of the start, if there is one",
	"limits":          "it may take {limits}",
	"stopped":         "the turn was stopped: {reason}",
	"failed":          "the turn failed: {reason}",
	"model failed":    "the model brought no answer: {reason}",
	"resumed":         "another process took over",
	"resumed with":    "another process took over, and repeats {calls}",
	"unknown":         "something of a kind that this version does not know: {kind}",
	"attempt":         "an attempt before it failed: {error}",
	"by model":        "by {model}",
	"by model usage":  "by {model}: {input} in, {output} out",
	"by model cached": "by {model}: {input} in, {cached} of them from a cache, {output} out",
	"cut short":       "a limit of tokens cut that short",
	"withheld":        "the model or its provider withheld the answer",
	"showed":          "with it came {what}, {bytes}",

	// where a turn starts
	"scorer asked":     "the scorer {scorer} is asked how well the message fits {skills}",
	"scored":           "the scorer answered: {scores}",
	"scorer failed":    "the scorer failed: {reason}",
	"called classify":  "a model is asked which intent the message has, with {parts} parts",
	"called decide":    "a model is asked to choose from the menu, with {parts} parts",
	"called aside":     "a model is asked to {purpose}, with {parts} parts",
	"chose":            "the model chose {choice}",
	"routed witness":   "the turn starts in {to}: {ref}{label} claimed the message by {witness}",
	"routed entry":     "the turn starts in {to}: {ref}{label} claimed the message",
	"routed best":      "the turn starts in {to}: {ref}{label} scored best",
	"routed intent":    "the turn starts in {to}: {ref}{label} fits the message best, and far enough ahead",
	"routed stay":      "the turn goes on in {to}",
	"routed decider":   "the turn starts in {to}, chosen from a menu of {offered}",
	"routed menu":      "it is open where the turn starts: the menu has {offered}",
	"routed menu stay": "it is open where the turn starts: the menu has {offered}, and to stay",
	"routed none":      "the turn starts nowhere: nobody may choose from the menu of {offered}",
	"routed entries":   "the entries decide where the turn starts",
	"dropped":          "the conversation stood in {skill}, which there is no more",
	"no scores":        "the scores of {scorer} do not count: {error}",
	"ranked":           "{scorer} ranked {ranked}",
	"runner up":        "behind the best comes {skill}, by a gap of {gap}",
	"decisive":         "that is decisive; a gap under {margin} is too close to call{floor}",
	"near":             "that is not decisive: a gap under {margin} is too close to call{floor}",
	"floor":            ", and what is not above {floor} does not count",
	"decider failed":   "the decider{model} chose nothing: {error}",
	"decider stay":     "the decider{model} chose to stay in {skill}",
	"decider pick":     "the decider{model} chose {skill}",
	"decider none":     "the decider{model} found that nothing of the menu fits",

	// a move
	"moved":             "iteration {iteration}: {move}",
	"entry witness":     "{ref}{label} claimed the message by {witness} and started in {to}",
	"entry":             "{ref}{label} started in {to}",
	"route":             "{tool} led from {from} to {to} by {ref}{label}",
	"route unknown":     "a result led from {from} to {to} by {ref}{label}",
	"pick":              "the model chose {to}, from {from}",
	"cold pick":         "the model chose to start in {to}",
	"proposal":          "a tool proposed {to}, from {from}",
	"intent":            "{ref}{label} fits the message best: the walk started in {to}",
	"continuity":        "the conversation stayed in {to}",
	"by decider":        "a model chose {to} from the menu",
	"stay":              "stayed in {to}",
	"none":              "nothing started the turn in a skill: the walk stands nowhere",
	"leaf":              "the tree led to {label} by {ref}",
	"no leaf":           "no leaf of the tree is active: a condition on the way failed",
	"other":             "went to {to} by {by}",
	"row":               "{evidence}",
	"open":              "{ref} opened for {tool}:",
	"closed":            "{ref}{label} to {to} did not open for {tool}:",
	"unjudged":          "{ref} could not be judged: {error}",
	"loser":             "{call} {tool} would have led to {to}; an earlier result came first",
	"superseded":        "not active, though their start rule claims the message: {skills}",
	"activated":         "switched on: {skills}",
	"ruled skills":      "active, since their own condition holds: {skills}",
	"off menu":          "a menu was open, and {skill} was not on it",
	"menu closed":       "that closed the menu",
	"instructions":      "instructions in the prompt: {instructions}",
	"no instructions":   "no instruction is in the prompt any more",
	"ruled instruction": "{id}, whose condition holds",
	"leased":            "{id}, which {call} required {lease}",
	"next call":         "for the next call",
	"until exit":        "until the walk leaves the skill",

	// a request and what came of it
	"called":             "the model is asked, with {parts} parts and {tools}",
	"called last":        "the model is asked for the last time, with {parts} parts and no tools",
	"called last limit":  "the model is asked for the last time, with {parts} parts and no tools: {limit} leaves one call",
	"part":               "part {n}: {what}, {bytes}",
	"told tool":          "the tool {tool}: {bytes}",
	"asked for":          "the model asked for {call} {tool} {args}",
	"asked in":           "in {skill} the model asked for {call} {tool} {args}",
	"said":               "the model said {text}",
	"answered":           "the model answered {text}",
	"thought":            "the model thought, in {bytes}",
	"sent":               "handed over: {calls}",
	"returned":           "{call} {tool} returned {text}",
	"with status":        "{call} {tool} returned {status}: {text}",
	"not run":            "{call} {tool} did not reach its tool ({status}): {text}",
	"refused":            "{call} {tool} was refused ({reason}): {text}",
	"lost":               "nobody knows whether {call} {tool} was carried out: {text}",
	"cut":                "{call} {tool} was not answered before the turn stopped: {text}",
	"read":               "{call} read_skill {skill}: {text}",
	"rejected":           "{call} read_skill {skill} was rejected; from {from} these can be read: {allowed}",
	"reroute":            "{call} read_skill {skill} lost: the walk went to {won} by {by}",
	"rejected posture":   "{call} read_skill {skill} was refused by the posture {posture}; from {from} these can be read: {allowed}",
	"proposal lost":      "{call} {tool} proposed {skill}, and lost: the walk went to {won} by {by}",
	"effect proposal":    "{call} {tool} proposes to move to {skill} for {reason}",
	"effect instruction": "{call} {tool} requires the instruction {id} {lease}",
	"effect other":       "{call} {tool} asks for an effect {kind}",
	"accepted":           "{what}: accepted",
	"refused effect":     "{what}: refused, {reason}",
	"superseded effect":  "{what}: not followed, {skill} was proposed before it",
	"needs":              "{call} {tool} asks a person {question}",
	"needs leave":        "a person is asked whether {call} {tool} may be called, {question}",
	"person":             "a person answered {call} {tool} with {answer}",
	"declined":           "a person declined {call} {tool} with {answer}",
	"paused":             "the turn waits for a person to answer {call} {tool}",
	"conflict":           "results of one batch led to different places; {call} {tool} came first, to {to}",
	"late":               "too late, and it changes nothing: {what}",

	// where words came from
	"reply":          "the model answered",
	"request":        "it was asked with {parts} parts; this is part {part}",
	"always":         "iteration {iteration}: {skill} is always active",
	"put":            "the note was put in",
	"menu put":       "the menu was put in",
	"ruled":          "iteration {iteration}: the condition of {skill} holds",
	"ruled text":     "iteration {iteration}: the condition of the instruction {id} holds",
	"leased text":    "iteration {iteration}: {call} required the instruction {id} {lease}",
	"carried":        "the conversation was carried over into this turn",
	"request tool":   "it was asked with {parts} parts; this is what it was told of the tool {tool}",
	"own word":       "in nothing that the model was shown: this is its own word",
	"own words":      "in nothing that the model was shown do these words stand in a row: they are its own",
	"not copied":     "no 16 bytes of it in a row stand in what the model was shown, and no word of it is a value there, so it is taken for its own words; fewer bytes are looked for where they are asked about by name",
	"given up":       "not found before the search was given up: there was too much to search",
	"too many":       "copied, but there are too many sources to list",
	"not in answer":  "the answer does not contain these words",
	"not in last":    "the last turn's answer does not contain these words; spoor show tells the turns before it",
	"no words":       "no words were asked about",
	"no word there":  "there is no word in the answer",
	"brief":          "fact that it stands there; so few words may stand there by chance",
	"no turn":        "the recording has no turn, so there is no answer",
	"no answer":      "the turn has not come to an answer",
	"ended without":  "the turn ended without an answer: {reason}",
	"no reply":       "the reply that has the answer is not in the recording",
	"no request":     "the request that the answer replies to is not in the recording",
	"missing pieces": "{n} parts of the request are not in the recording",
	"changed":        "the recording is not as it was written, so what is told of it may not have been so: {fault}; spoor verify tells more",
	"too much":       "there was too much to search or to list; what was found holds, and there may be more",

	// a tool call, and what was computed
	"no calls":     "no tool was called",
	"no call":      "the recording has no such call; it has {calls}",
	"tool no call": "{tool} is a tool, and its calls are {calls}: ask about one of them",
	"call open":    "nothing came of it before the recording ends",
	"call lost":    "nothing of what came of it is in the recording",
	"call in":      "the model asked for it in iteration {iteration}, in {skill}",
	"call of":      "the model asked for it in iteration {iteration}",
	"own argument": "in nothing that the model was shown: this is its own",
	"parts of it":  "nowhere as a whole, but parts of it do",
	"count":        "{path} has {n} elements",
	"row of":       "line {n}",
	"column":       "lines {from}–{to}, value {n}",

	"moves before": "before that are more moves, up to iteration {iteration}",

	// what backs a sentence
	"answer has":        "The answer, event {event}, has {bytes} bytes. {copied} were copied from what the model was shown",
	"answer values":     ", and {n} more say what stands there otherwise, or can be computed from there",
	"answer sentences":  ". {sentences}: {verdicts}.",
	"as partial":        "one of them says less",
	"as rounded":        "rounded",
	"as reading":        "if it is read so",
	"as bare":           "without a unit",
	"as unit":           "in another unit",
	"no source":         "no source: {words}",
	"more sources":      "and {places}",
	"more sentences":    "and {sentences}",
	"weak":              "weak: so little may stand there by chance",
	"echoed":            "no evidence: the model itself had given it to the tool",
	"beside":            "beside {subject}",
	"wrong row":         "beside {subject}, and not {spoken}",
	"wrong row instead": "{row}, of which it is {instead}",
	"stale":             "stale: {call} {tool}, event {event}, is newer",
	"operand":           "{text} at {path}, {at}",
	"conflict of":       "What the model was shown says different values of {field} of {subject}:",
	"said so":           "which the answer says",
	"replaced":          "which a later result replaced",

	// moves that are not
	"no move":     "the last turn has {moves}, numbered from 1",
	"no moves":    "no move was made",
	"bad number":  "moves are numbered from 1",
	"no such":     "the map has no skill {skill}{hint}",
	"no map":      "the map cannot be read: {error}",
	"no way":      "no step leads from {from} to {skill}, and it is no entry",
	"no way cold": "{skill} is no entry, and the walk stood nowhere",

	// ways into a skill
	"way taken":        "{what} led there",
	"leaf off":         "{fork} {side}, so the tree turned away from it there",
	"leaf failed":      "the condition of {fork} could not be judged: {error}",
	"leaf unknown":     "the move names no leaf",
	"no result":        "no tool had returned anything",
	"waits":            "it waits for {waits}; what returned was {results}",
	"way closed":       "its guard was shut on {call} {tool}: {conditions}",
	"when failed":      "its condition could not be judged: {error}",
	"when shut":        "its condition did not hold on {results}: {when}",
	"when bound":       "{ref} stands above it and came first, so its condition {when} was not judged",
	"above":            "{call} {tool} would have taken it, but {ref} stands above it and took that result first",
	"earlier":          "{call} {tool} would have taken it, but an earlier result had taken {ref}",
	"conflict lost":    "{call} {tool} would have taken it, but an earlier result, {winner}, had led to {to} already",
	"open but":         "it was open on {call} {tool}, and the walk did not take it",
	"rule unclaimed":   "it does not claim the message: it looks for {match}",
	"rule when":        "its condition did not hold: {when}",
	"rule above":       "it claims the message{witness}, but {ref} stands above it and came first",
	"entry not judged": "the model reads the entries from a menu and picks",
	"intent unjudged":  "a classifier judges it, and the recording has no verdict",
	"not scored":       "{winner} decided before any score was asked for",
	"scores failed":    "it was to be scored, and the scores do not count: {error}",
	"no score":         "it was to be scored, and the recording has no score of it",
	"score dead":       "its score {score} is not above {floor}, so it does not count",
	"score ahead":      "it scored {score}, a share of {share}; {winner} is ahead with {best}{gap}",
	"score gap":        ", by a gap of {gap}",
	"score stay":       "it scored {score}, a share of {share}; the conversation stayed in {to}",
	"score menu":       "it scored {score}, a share of {share}, and was on the menu of {offered}",
	"score off menu":   "it scored {score}, a share of {share}, and was not on the menu of {offered}",
	"score decider":    "it scored {score}, a share of {share}; from the menu of {offered} the decider chose {to}",
	"hidden skill":     "it was hidden from this turn, so no way led there",
	"own when":         "its own condition did not hold: {when}",
	"own holds":        "its own condition held, which brings it into the prompt and moves nothing",
	"not asked rails":  "the model did not ask to read it, and would have been refused: under the posture rails reading moves nowhere",
	"not asked guard":  "the model did not ask to read it, and would have been refused: under the posture guard reading moves only to what an open menu offers",
	"read posture":     "{call}: the model asked to read it, and was refused by the posture {posture}: from {from} these can be read: {allowed}",
	"proposal taken":   "{call} {tool} proposed it, and the walk went there",
	"proposal refused": "{call} {tool} proposed it, and was refused: {reason}",
	"proposal after":   "{call} {tool} proposed it, after {skill} had been proposed",
	"proposal beaten":  "{call} {tool} proposed it, and the walk went to {to} by {by}",
	"rule open":        "it has no condition, so {skill} is always active; but the walk went to {to}",
	"not asked":        "the model did not ask to read it, though it could",
	"not asked far":    "the model did not ask to read it, and could not have: it was not in reach",
	"not offered":      "the model did not ask to read it, and was not offered to",
	"in play":          "its instructions were in the prompt all the same",
	"read taken":       "{call}: the model asked to read it, and the walk went there",
	"read open":        "{call}: the model read it; it switches on, and moves nothing",
	"read stayed":      "{call}: the model read it, and the walk went to {to} by {by}",
	"read rejected":    "{call}: the model asked to read it, and was refused: from {from} these can be read: {allowed}",
	"read lost":        "{call}: the model asked to read it, and the walk went to {won} by {by}",
	"read open end":    "{call}: the model asked to read it, and the turn ended first",
}

// say fills a template: names and values in turn.
func say(name string, values ...string) string {
	text, ok := templates[name]
	if !ok {
		panic("explain: there is no template " + name)
	}
	pairs := make([]string, len(values))
	copy(pairs, values)
	for i := 0; i+1 < len(pairs); i += 2 {
		pairs[i] = "{" + pairs[i] + "}"
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// moveText tells a move in a few words. Fired is the result that took the
// step, if it is known.
func moveText(m *spoor.Move, label string, fired *Result) string {
	ref, name := line(string(m.Ref)), ""
	if label != "" {
		name = " " + quote(label, 40)
	}
	from, to := either(m.From == "", "nowhere", line(m.From)), line(m.To)
	switch m.By {
	case spoor.ByEntry:
		if m.Witness != nil {
			return say("entry witness", "ref", ref, "label", name, "witness", quote(m.Witness.Text, 40), "to", to)
		}
		return say("entry", "ref", ref, "label", name, "to", to)
	case spoor.ByRoute:
		if fired == nil {
			return say("route unknown", "from", from, "to", to, "ref", ref, "label", name)
		}
		return say("route", "tool", line(fired.Tool), "from", from, "to", to, "ref", ref, "label", name)
	case spoor.ByPick:
		return say(either(m.From == "", "cold pick", "pick"), "to", to, "from", from)
	case spoor.ByProposal:
		return say("proposal", "to", to, "from", from)
	case spoor.ByIntent:
		return say("intent", "ref", ref, "label", name, "to", to)
	case spoor.ByContinuity:
		return say("continuity", "to", to)
	case spoor.ByDecider:
		return say("by decider", "to", to)
	case spoor.ByStay:
		return say("stay", "to", to)
	case spoor.ByNone:
		inTree := func(f spoor.Failed) bool { return strings.HasPrefix(string(f.Ref), "tree") }
		switch {
		case m.Ref != "":
			return say("leaf", "label", either(label != "", label, "a leaf"), "ref", ref)
		case slices.ContainsFunc(m.Failed, inTree):
			return say("no leaf")
		}
		return say("none")
	}
	return say("other", "to", to, "by", line(string(m.By)))
}

func itoa(n int) string { return strconv.Itoa(n) }

func either(yes bool, a, b string) string {
	if yes {
		return a
	}
	return b
}

// clip is s in one line of at most n characters, the ellipsis among them.
func clip(s string, n int) string {
	if len(s) > 8*n { // enough for n characters between which is space
		s = strings.ToValidUTF8(s[:8*n], "") + "…"
	}
	s = line(s)
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	r := []rune(s)
	return string(r[:n-1]) + "…"
}

// line is s in one line: a run of space is one blank, and what a terminal
// would act on is replaced.
func line(s string) string {
	return strings.Map(printable, strings.Join(strings.Fields(s), " "))
}

func printable(r rune) rune {
	if r == utf8.RuneError || !unicode.IsPrint(r) {
		return '\uFFFD'
	}
	return r
}

// firstLine cuts a text behind its first line that has something in it.
func firstLine(s string) (first, more string) {
	first, more, _ = strings.Cut(strings.Trim(s, "\r\n"), "\n")
	return first, more
}

// rows are the lines of a text as they are laid out, with what a terminal
// would act on replaced.
func rows(s string) []string {
	s = strings.NewReplacer("\r\n", "\n", "\t", "    ").Replace(strings.Trim(s, "\r\n"))
	list := strings.Split(s, "\n")
	for i := range list {
		list[i] = strings.TrimRight(strings.Map(printable, list[i]), " ")
	}
	return list
}

// quote is a clip in quotation marks.
func quote(s string, n int) string { return `"` + clip(s, n) + `"` }

// listed names up to twelve.
func listed(names []string) string {
	const most = 12
	if len(names) == 0 {
		return "none"
	}
	shown := make([]string, 0, most)
	for _, n := range names[:min(len(names), most)] {
		shown = append(shown, clip(n, 60))
	}
	if more := len(names) - most; more > 0 {
		return strings.Join(shown, ", ") + " and " + itoa(more) + " more"
	}
	return strings.Join(shown, ", ")
}
