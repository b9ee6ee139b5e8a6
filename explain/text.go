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
	"more rows":         "and {n} more of it",
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

	// what the facts of a story are told with
	"run":                  "Run {run}",
	"turn":                 "Turn {turn}",
	"note":                 "Note: {note}.",
	"replayed":             "this is run {run} walked again with an edit; no model and no tool was asked",
	"replayed assumed":     "this is run {run} walked again with an edit; no model and no tool was asked, and from event {event} on all is assumed",
	"assumed":              "{text} (assumed)",
	"without name":         "without a name",
	"nowhere":              "nowhere",
	"a leaf":               "a leaf",
	"at a cost":            "a cost of {cost}",
	"limit of model calls": "the budget of model calls",
	"limit of tool calls":  "the limit of tool calls",
	"limit of tokens":      "the limit of tokens",
	"limit of price":       "the limit of cost (a model without a price answered)",
	"limit of cost":        "the limit of cost",
	"limit of time":        "the limit of time",
	"limit of moves":       "the limit of moves to and fro",
	"limit of reads":       "the limit of refused reads",
	"other limit":          "the limit {limit}",
	"limit spent":          "{limit} was spent",
	"limit reached":        "{limit} was reached",
	"no tools":             "no tools",
	"offered tool":         "the tool {tool}",
	"offered tools":        "the tools {tools}",
	"of skill":             " of the skill {skill}",
	"of status":            ", status {status}",
	"other outcome":        "{what}: {outcome}",
	"no text":              "the last reply has no text",
	"none of them":         "none",
	"and more":             "{names} and {n} more",

	// the way of a walk
	"no route":         "the recording has no turn, so there is no way of a walk",
	"to and fro":       "To and fro between {skills}: {n} moves in a row, turn {turn}, events {first} to {last}",
	"refused in a row": "Refused reads in a row: {n}, of {skills}, turn {turn}, events {first} to {last}",

	// a model call
	"bad call":            "model calls are numbered from 1",
	"no calls at all":     "the recording has no turn, so there is no model call",
	"calls end":           "the recording ends after {calls} of the last turn",
	"no such call":        "the last turn made {calls}, numbered from 1",
	"asked to classify":   "a model judges where the turn starts: which intent the message has",
	"asked to decide":     "it is open where the turn starts, and a model is to choose from the menu",
	"asked aside":         "a model is asked to {purpose}",
	"no reason":           "the move that it follows from is not in the recording",
	"last of all":         "it is the last one: {limit} leaves no further call",
	"dropped menu":        "another menu took its place",
	"dropped menu last":   "it is the last call, so there is nothing to choose",
	"dropped menu gone":   "there is no menu any more",
	"dropped instruction": "the instruction {id} is not active any more",
	"dropped body":        "{skill} is not active any more: {move}",
	"dropped other":       "the recording does not say why",
	"not there":           "not in the recording",
	"tool of skill":       "which {skills} brings, being active",
	"tool of any skill":   "which {skills} brings wherever the walk stands",
	"tool of agent":       "which is the agent's: no skill lists it",
	"tool of walk":        "which is the walk's own",
	"tool of nobody":      "and the recording does not say who brings it",
	"no reply to it":      "what came back is not in the recording",
	"ends before reply":   "the recording ends before anything came back",
	"no beginning":        "the beginning of the turn is not in the recording, so this may not be all that was asked",
	"gap":                 "between event {after} and event {before} something is missing, so this may not be all that was asked",
	"on the wire":         "sent as {bytes}, SHA-256 {digest}",

	// how many
	"one skill":                   "1 skill",
	"many skills":                 "{n} skills",
	"one step":                    "1 step",
	"many steps":                  "{n} steps",
	"one tool":                    "1 tool",
	"many tools":                  "{n} tools",
	"one model call":              "1 model call",
	"many model calls":            "{n} model calls",
	"one tool call":               "1 tool call",
	"many tool calls":             "{n} tool calls",
	"one token":                   "1 token",
	"many tokens":                 "{n} tokens",
	"one byte":                    "1 byte",
	"many bytes":                  "{n} bytes",
	"one move to and fro":         "1 move to and fro",
	"many moves to and fro":       "{n} moves to and fro",
	"one refused read in a row":   "1 refused read in a row",
	"many refused reads in a row": "{n} refused reads in a row",
	"one text of steering":        "1 text of steering",
	"many texts of steering":      "{n} texts of steering",
	"one fact":                    "1 fact",
	"many facts":                  "{n} facts",
	"one instruction":             "1 instruction",
	"many instructions":           "{n} instructions",

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
	"no calls":        "no tool was called",
	"no turn of":      "the recording has no turn {turn}",
	"call of turn":    "turn {turn} did not make this call; it is of turn {other}",
	"no call":         "the recording has no such call; it has {calls}",
	"tool no call":    "{tool} is a tool, and its calls are {calls}: ask about one of them",
	"call unanswered": "nothing came of it before the recording ends",
	"call unrecorded": "nothing of what came of it is in the recording",
	"call in":         "the model asked for it in iteration {iteration}, in {skill}",
	"call of":         "the model asked for it in iteration {iteration}",
	"own argument":    "in nothing that the model was shown: this is its own",
	"parts of it":     "nowhere as a whole, but parts of it do",
	"count":           "{path} has {n} elements",
	"count rows":      "it has {n} rows",
	"count cells":     "{n} rows have {text} as {name}",

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
	"wrong place":       "not of {spoken}",
	"stale verdict":     "{verdict}, but stale",
	"stale verdicts":    "{n} {verdict} ({stale} stale)",
	"wrong row instead": "{row}, of which it is {instead}",
	"stale":             "stale: {call} {tool}, event {event}, is newer",
	"operand":           "{text} at {path}, {at}",
	"operand of text":   "{text} at {at}",
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

	// what would have made the difference
	"opened with":      "it would have led there with {change} (counterfactual)",
	"or with":          "or with {change} (counterfactual)",
	"assumed with":     "it may have led there with {change} (assumed: {why})",
	"or assumed":       "or perhaps with {change} (assumed: {why})",
	"not the same":     "the move on record cannot be made again from what is recorded",
	"only there":       "only the program that made the recording can ask the condition {name}",
	"scored anew":      "the message would have been scored anew",
	"never scored":     "the recording has no scores of this turn",
	"scored others":    "other skills would have been scored",
	"decides anew":     "the decider would have been asked anew",
	"no graph":         "the map cannot be walked, so no change can be tried",
	"no change":        "no change was found that leads there",
	"no change yet":    "the model picks once it has been asked, which is for the next move",
	"regex examples":   "no word to add follows from a regular expression, and none of the rule's examples leads there",
	"regex no word":    "no word to add follows from a regular expression, and the rule has no examples to try",
	"too many changes": "there was too much to try",
	"edit remove":      "{ref} removed",
	"edit move":        "{ref} above {above}",
	"edit when":        "{ref} {holds}",
	"edit condition":   "{ref} {to} instead of {was}",
	"edit drop":        "{ref} {was} removed",
	"edit set":         "{ref} set to {value}",
	"edit add":         "{ref} with {value} as well",
	"edit claim":       "{ref} claiming every message",
	"edit step":        "a step from {from} to {to} that the model can take",
	"edit rule":        "{ref} added, which starts in {skill}",
	"instead":          " instead of {was}",
	"fields":           "{fields} in the result of {of}",
	"field":            "{key} {want} instead of {was}",
	"new field":        "{key} {want} instead of none",
	"no field":         "no {key} instead of {was}",
	"a status":         "the status {want} instead of {was} of {of}",
	"no status":        "no status instead of {was} of {of}",
	"executed":         "{of} reaching its tool",
	"a tool name":      "a result of {want} instead of {of}",
	"a text":           "{want} as the result of {of}",
	"a result":         "a result of {tool}{status}: {text}",
	"its status":       " with the status {status}",
	"no result of":     "no result of {of}",
	"an iteration":     "the same in iteration {want} instead of {was}",
	"words added":      "{words} at the end of the message",
	"a message":        "the message {message}",
	"a pick":           "the model asking to read {skill}",
	"no pick":          "the model not asking to read {skill}",
	"no proposal":      "no proposal of {skill}",
	"a proposal":       "{skill} proposed by a tool",
	"a posture":        "the posture {want} instead of {was}",
	"not hidden":       "{skill} not hidden from the turn",
	"a score":          "a score of {want}{instead} for {skill}",
	"a decision":       "{skill} chosen from the menu by the decider",
	"a function":       "the condition {name} holding",
	"a limit":          "{limit} at {want}{instead}",
	"larger":           "{limit} larger",
	"edit list":        "{ref} listing {tool}",

	// tools that were not called
	"no turn at all":       "the recording has no turn",
	"no model call":        "no model was asked",
	"no such tool":         "the recording knows no tool {tool}{hint}",
	"asked nowhere":        "the model was asked, and the walk stood nowhere.",
	"asked there":          "the model was asked in {skill}.",
	"tool no reply":        "it was offered, and the model call brought no reply",
	"tool not called":      "it was offered, and the model did not ask for it: {did}",
	"it called":            "it called {calls}",
	"it said":              "it answered {text}",
	"it said nothing":      "it answered nothing",
	"call open":            "{call}: the model asked for it, and there is no answer yet",
	"call chose":           "the model chose {choice}",
	"call failed":          "{call}: it was called, and failed: {text}",
	"call returned":        "{call}: it was called, and returned {text}",
	"call denied":          "{call}: the model asked for it, and a policy denied it: {text}",
	"call invalid":         "{call}: the model asked for it, and its arguments were not accepted: {text}",
	"call unreached":       "{call}: the model asked for it, and the call did not reach it ({reason}): {text}",
	"call declined":        "{call}: the model asked for it, and a person declined: {text}",
	"call lost":            "{call}: the model asked for it, and nobody knows whether it was carried out: {text}",
	"call cut":             "{call}: the model asked for it, and the turn was stopped first: {text}",
	"call refused":         "{call}: the model asked for it, and was refused ({reason}): {text}",
	"tool forced":          "it was not offered: this call is to {purpose}, with the one tool {tool}",
	"tool aside":           "it was not offered: this call is to {purpose}",
	"tool last":            "it was not offered: this is the last call that {limit} leaves, and it has no tools",
	"tool no read":         "it was not offered: there is nothing to read",
	"tool not brought":     "it was not offered: the turn does not have it",
	"tool scoped":          "it was not offered: it is offered while {skills} is active, and active were {active}",
	"tool hidden":          "it was not offered: {skills}, which lists it, was hidden from this turn",
	"tool odd":             "it was not offered, and by the map it would have been",
	"tool still not":       "the tool would not have been offered all the same",
	"offered with":         "it would have been offered with {change} (counterfactual)",
	"assumed offer":        "it may have been offered with {change} (assumed: {why})",
	"limit unsure":         "what the calls use cannot be told before they are made",
	"limit counted":        "the calls were counted, and not made again",
	"limit others":         "another limit may have been reached as well",
	"no change aside":      "a call for something else than an answer offers no tools of the map",
	"no change own choice": "nothing shut it: it was the model's choice",
	"no change world":      "nothing in the map or the facts of a move shut it",
	"no change person":     "a person would have had to agree",
	"no change policy":     "the policy would have had to allow it",
	"no change arguments":  "the model would have had to ask with other arguments",
	"no change read":       "ask about the skill that was to be read",
	"no change brought":    "the agent would have had to bring the tool",

	// pieces that were not in a request
	"no digest":             "{digest} is no digest: it has up to 64 hexadecimal digits",
	"short digest":          "{digest} is too short: give {least} digits of it at least",
	"no such piece":         "the recording names no piece {digest}",
	"several pieces":        "{digest} is the beginning of several pieces: {digests}",
	"piece message":         "the message of the user",
	"piece history":         "of the conversation before the turn",
	"piece system":          "what every prompt begins with",
	"piece steering":        "the agent's {name}",
	"piece fact":            "the agent's fact {name}",
	"piece instruction":     "the agent's instruction {name}",
	"piece body":            "the body of {name}",
	"piece tool":            "what a model is told of the tool {name}",
	"piece output":          "the schema of the results of {name}",
	"piece map":             "the map, in JSON",
	"piece result":          "the result of {name}",
	"piece reply":           "words of the model",
	"piece thinking":        "thinking of the model",
	"piece arguments":       "the arguments of {name}",
	"piece note":            "a note of spoor to the model",
	"piece menu":            "the menu of skills",
	"piece question":        "a question of {name} to a person",
	"piece answered":        "what a person answered to {name}",
	"piece late":            "what came when nobody waited for it any more",
	"piece other":           "part of a request",
	"piece in":              "in the request: part {part} of {parts}, since event {since}",
	"piece in arguments":    "in the request: part {part} of {parts}, since event {since}, as the arguments of {call}, which are the model's own",
	"piece in thinking":     "in the request: part {part} of {parts}, since event {since}, as thinking of the model itself",
	"piece in reply":        "in the request: part {part} of {parts}, since event {since}, as words of the model itself",
	"piece told":            "in the request, as what the model is told of the tool {tool}",
	"piece nowhere":         "nothing that is recorded of it could have put it there",
	"piece never output":    "no model is told the schema of a tool's results",
	"piece never map":       "no model is told the map itself; what it is told of it is in the bodies and the menu",
	"piece never question":  "a person is asked, and the model is not told",
	"piece never answered":  "the tool is told what a person answered, and the model only what the tool returns",
	"piece never late":      "it came when nobody waited for it any more, and changes nothing",
	"piece aside":           "this call is to {purpose}, and has only what that takes",
	"piece later":           "it was not there yet: event {event} brought it in, {role}",
	"piece of tool":         "it is what a model is told of {tool}: {why}",
	"piece no menu":         "the menu was another one by then{gone}",
	"piece menu last":       "the last call has no menu{gone}",
	"piece other turn":      "it is {role} of another turn, event {event}, which this turn did not take over",
	"piece cut":             "it is {role}, event {event}, and the request does not have it{gone}",
	"dropped at":            "; event {event} dropped it",
	"piece no move":         "no move was made before this call, so nobody can say whether {skill} was to be in it",
	"piece no skill":        "the map of this turn has no skill {skill}",
	"piece as answer":       "{skill} is active, and its body was given as the answer to read_skill alone",
	"piece inactive":        "{skill} was not active; active were {active}{gone}",
	"piece still not":       "its body would not have been in the prompt all the same",
	"piece no lease":        "the instruction {id} has no condition, and no tool had required it{gone}",
	"piece not due":         "the condition of the instruction {id} did not hold, and no tool had required it: {when}{gone}",
	"piece failed":          "the condition of the instruction {id} could not be judged: {error}",
	"lease unsure":          "what a tool requires is not for the map to say",
	"a lease":               "a tool requiring the instruction {id}",
	"put with":              "it would have been there with {change} (counterfactual)",
	"assumed put":           "it may have been there with {change} (assumed: {why})",
	"no change aside piece": "a call for something else than an answer has only what that takes",
	"no change later":       "it had not been brought in",
	"no change menu":        "a menu is replaced by the next one",
	"no change note":        "a note is put in once, where it belongs",
	"no change history":     "what is carried over from turn to turn is for the host to say",
	"no change prompt":      "what a prompt begins with is for the agent's author to say",

	// two recordings
	"no turn to compare":   "one of the two recordings has no turn, so there is nothing to compare",
	"same":                 "The two are the same in all that counts: {events}.",
	"first":                "The first difference is {class}: {difference} ({evidence})",
	"events alone":         "{n} events that {other} does not have",
	"difference changed":   "{what}{at}: {a} against {b}",
	"difference told":      "{what}{at}: in A {a}; in B {b}",
	"difference added":     "{what}{at}, only in B: {value}",
	"difference removed":   "{what}{at}, only in A: {value}",
	"from":                 "caused by {from}, {link}",
	"from another":         "caused by {from}, not by the first, {link}",
	"independent":          "independent",
	"independent as far":   "independent as far as is recorded: other calls were made before it, and what they did is not known",
	"more differences":     "and {n} more",
	"more changes":         "and more",
	"answers same":         "Both answer {answer}",
	"noted":                "{what}: {a} against {b}",
	"too many differences": "there are more differences than the {n} that are listed",
	"not aligned":          "the turns have too little in common to be aligned, so they are compared step by step, and one step more makes all that follow differ",
	"what configuration":   "the configuration",
	"what map":             "the map",
	"what tool schema":     "what the model is told of {tool}",
	"what tool missing":    "the tool",
	"what tool result":     "{call} {tool} returned otherwise",
	"what model output":    "asked the same in iteration {iteration}, the model answered otherwise",
	"what model failure":   "what came of the model call of iteration {iteration}",
	"what person":          "what the person said",
	"what scores":          "the scores of where the turn starts",
	"what stop":            "a stop",
	"what limit":           "a limit was reached",
	"what process":         "a change of process",
	"what walk":            "on the same facts, what the walk did",
	"what cut":             "the last event before the end",
	"what conversation":    "the conversation before it",
	"what start":           "where the turn starts",
	"what move":            "the move of iteration {iteration}",
	"what request":         "what the model was asked in iteration {iteration}",
	"what reply":           "asked otherwise in iteration {iteration}, the model answered otherwise",
	"what call":            "what became of {call} {tool}",
	"what steps":           "what happened next",
	"what end":             "how the turn ended",

	// two sets of recordings
	"separates":         "What separates {good} good from {bad} bad runs best: {what}",
	"separates nothing": "Nothing separates {good} good from {bad} bad runs more than chance may. Nearest to it: {what}",
	"separates few":     "So few runs, {good} good and {bad} bad, cannot be told from chance: what splits them cleanly does so with p = {p}. Nearest to it: {what}",
	"correlation":       "This is correlation, not cause ({evidence}).",
	"shares":            "good {good}, bad {bad}; p = {p}, and {adjusted} for all that were looked at",
	"tie":               "the same runs: {what}",
	"opposite":          "exactly the others: {what}",
	"more ties":         "and {n} more",
	"more groups":       "and {n} more that the sets do not share alike",
	"too few runs":      "{good} and {bad} were given; each set needs two",
	"nothing separates": "of {features} none is shared otherwise by the good than by the bad runs",
	"too many features": "there are more features than are counted; what is listed holds, and there may be more",
	"runs changed":      "not as it was written, and counted as it is: {runs}",
	"runs cut":          "not whole, and counted as far as it goes: {runs}",
	"has piece":         "{what}: {text}",
	"has map":           "the map {map}",
	"has model":         "the model {model}",
	"has tool":          "a call of {tool}",
	"has arguments":     "a call of {tool} {args}",
	"has status":        "{tool} returns {status}",
	"has value":         "{tool} {path} = {value}",
	"has threshold":     "{tool} {path} ≥ {value}",
	"has refusal":       "a call of {tool} is refused ({reason})",
	"has rejection":     "a read of {skill} is rejected",
	"has ending":        "a turn ends: {by}",
	"has limit":         "a turn ends by {limit}",
	"has failure":       "the model fails: {fault}",
	"has skill":         "the walk is in {skill}",
	"has start":         "a start in {to} by {ref}",
	"has hop":           "a move from {from} to {to} by {ref}",
	"has row":           "{ref}.guard[{k}] passes: {cond}",
	"has shut row":      "{ref}.guard[{k}] is shut: {cond}",
}

// say fills a template: names and values in turn.
func say(name string, values ...string) string { return plain.say(name, values...) }

// plain are the package's own words.
var plain *Words

func (w *Words) say(name string, values ...string) string {
	text, ok := templates[name]
	if !ok {
		panic("explain: there is no template " + name)
	}
	if w != nil {
		if own, ok := w.own[name]; ok {
			text = own
		}
	}
	return fill(text, values)
}

// fill puts values into the places of a text that have their names.
func fill(text string, values []string) string {
	var b strings.Builder
	for {
		i := strings.IndexByte(text, '{')
		n := strings.IndexByte(text[max(i, 0):], '}')
		if i < 0 || n < 0 {
			break
		}
		name, value, found := text[i+1:i+n], "", false
		for k := 0; k+1 < len(values) && !found; k += 2 {
			if values[k] == name {
				value, found = values[k+1], true
			}
		}
		if !found {
			n, value = 0, "{"
		}
		b.WriteString(text[:i])
		b.WriteString(value)
		text = text[i+n+1:]
	}
	if b.Len() == 0 {
		return text
	}
	b.WriteString(text)
	return b.String()
}

// moveText tells a move in a few words. Fired is the result that took the
// step, if it is known.
func moveText(m *spoor.Move, label string, fired *Result) string {
	return plain.moveText(m, label, fired)
}

func (w *Words) moveText(m *spoor.Move, label string, fired *Result) string {
	ref, name := line(string(m.Ref)), ""
	if label != "" {
		name = " " + quote(label, 40)
	}
	from, to := line(m.From), line(m.To)
	if m.From == "" {
		from = w.say("nowhere")
	}
	switch m.By {
	case spoor.ByEntry:
		if m.Witness != nil {
			return w.say("entry witness", "ref", ref, "label", name, "witness", quote(m.Witness.Text, 40), "to", to)
		}
		return w.say("entry", "ref", ref, "label", name, "to", to)
	case spoor.ByRoute:
		if fired == nil {
			return w.say("route unknown", "from", from, "to", to, "ref", ref, "label", name)
		}
		return w.say("route", "tool", line(fired.Tool), "from", from, "to", to, "ref", ref, "label", name)
	case spoor.ByPick:
		return w.say(either(m.From == "", "cold pick", "pick"), "to", to, "from", from)
	case spoor.ByProposal:
		return w.say("proposal", "to", to, "from", from)
	case spoor.ByIntent:
		return w.say("intent", "ref", ref, "label", name, "to", to)
	case spoor.ByContinuity:
		return w.say("continuity", "to", to)
	case spoor.ByDecider:
		return w.say("by decider", "to", to)
	case spoor.ByStay:
		return w.say("stay", "to", to)
	case spoor.ByNone:
		inTree := func(f spoor.Failed) bool { return strings.HasPrefix(string(f.Ref), "tree") }
		switch {
		case m.Ref != "":
			return w.say("leaf", "label", either(label != "", line(label), w.say("a leaf")), "ref", ref)
		case slices.ContainsFunc(m.Failed, inTree):
			return w.say("no leaf")
		}
		return w.say("none")
	}
	return w.say("other", "to", to, "by", line(string(m.By)))
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
func listed(names []string) string { return plain.listed(names) }

func (w *Words) listed(names []string) string {
	const most = 12
	if len(names) == 0 {
		return w.say("none of them")
	}
	shown := make([]string, 0, most)
	for _, n := range names[:min(len(names), most)] {
		shown = append(shown, clip(n, 60))
	}
	if more := len(names) - most; more > 0 {
		return w.say("and more", "names", strings.Join(shown, ", "), "n", itoa(more))
	}
	return strings.Join(shown, ", ")
}
