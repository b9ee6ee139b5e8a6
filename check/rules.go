package check

import "slices"

//go:generate go run ../internal/checkdoc ../docs/check

// rules are all codes, in the order of a report.
var rules = []Rule{
	guardUnsatisfiable,
	noEntry,
	modelEdgeOnly,
	unreachableSkill,
	multiEntryFanout,
	deadEntryStep,
	overlappingRules,
	rulesShadowedByOrder,
	ambiguousRoutes,
	selfLoop,
	guardLexicographic,

	bodyForeignTool,
	bodyUnknownTool,

	duplicateIntentExample,
	overlappingIntents,
	exampleMissesOwnRule,
	exampleUnclaimed,
	exampleShadowedByEarlier,
	exampleShadowedByDefault,
	neverRoutesContradictsExample,
	neverRoutesClaimed,
	neverRoutesByDefault,

	toolsSharePrefix,
	skillWrapsOneTool,
	fewDeclaredEdges,
	oneWayEntries,
	noNegativeEvidence,
}

// Rules lists all codes: those of a check-up in the order of a report, then
// those with which Compile and mapfile refuse a map. The slice is the
// caller's.
func Rules() []Rule { return slices.Concat(rules, refused) }
