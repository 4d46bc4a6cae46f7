package compat

// The rule ids of differences between two entries of a tool list.
const (
	ruleToolAdded        = "tool.added"
	ruleToolRemoved      = "tool.removed"
	ruleToolDocs         = "tool.docs"
	ruleToolHints        = "tool.hints"
	ruleToolField        = "tool.field"
	ruleToolMeta         = "tool.meta"
	ruleSunsetSet        = "sunset.set"
	ruleSunsetEarlier    = "sunset.earlier"
	ruleSunsetLater      = "sunset.later"
	ruleSunsetWithdrawn  = "sunset.withdrawn"
	ruleSunsetPassed     = "sunset.passed"
	ruleMetaUnreadable   = "meta.unreadable"
	ruleVersionsVanished = "meta.versions-vanished"
	ruleFalseClaim       = "contract.false-claim"
	ruleWentBack         = "contract.went-back"
	ruleAhead            = "contract.ahead"
	ruleVersionLowered   = "version.lowered"
	ruleVersionTooSmall  = "version.too-small"
	ruleOrphan           = "orphan"
	ruleRuleProblem      = "rules.problem"

	ruleCapName        = "capability.tool-name"
	ruleCapScenarioGo  = "capability.scenario-removed"
	ruleCapScenarioNew = "capability.scenario-added"
	ruleCapEffortGo    = "capability.fidelity-removed"
	ruleCapEffortNew   = "capability.fidelity-added"
	ruleCapNarrowed    = "capability.narrowed"
	ruleCapWidened     = "capability.widened"
	ruleCapLimit       = "capability.limitation"
	ruleCapProfile     = "capability.profile"
	ruleCapGone        = "capability.gone"
	ruleCapStated      = "capability.stated"
	ruleCapOrder       = "capability.order"
	ruleCapUnknown     = "capability.unknown"
)

var toolRules = []RuleInfo{
	{ruleToolAdded, LevelAddition, "a tool is new"},
	{ruleToolRemoved, LevelBreak, "a tool is gone"},
	{ruleToolDocs, LevelDocs, "title, description or icons of a tool changed"},
	{ruleToolHints, LevelSemantic, "a hint about the tool's effects or execution changed"},
	{ruleToolField, LevelSemantic, "a member of the tool's entry that this program does not know changed"},
	{ruleToolMeta, LevelDocs, "`_meta` changed in a key that has no rule of its own"},
	{ruleSunsetSet, LevelAddition, "a sunset was announced"},
	{ruleSunsetEarlier, LevelSemantic, "an announced sunset was moved to an earlier day"},
	{ruleSunsetLater, LevelAddition, "an announced sunset was moved to a later day"},
	{ruleSunsetWithdrawn, LevelAddition, "a sunset was withdrawn"},
	{ruleSunsetPassed, LevelBreak, "a sunset was announced that lies in the past: the tool is excluded at once"},
	{ruleMetaUnreadable, LevelBreak, "a value in `_meta` cannot be used, or the version is declared as an argument"},
	{ruleVersionsVanished, LevelSemantic, "the list of contract versions is gone: a proxy may drop `_meta`"},
	{ruleFalseClaim, LevelBreak, "the tool lists a contract version as native that its schema breaks"},
	{ruleWentBack, LevelBreak, "the newest contract version of the tool went down"},
	{ruleAhead, LevelBreak, "the tool lists a contract version beyond that of the list"},
	{ruleVersionLowered, LevelBreak, "the tool's semantic version went down"},
	{ruleVersionTooSmall, LevelBreak, "the tool's semantic version was raised by less than the change asks for, or not at all"},
	{ruleOrphan, LevelBreak, "something that served only a removed tool is still there"},
	{ruleRuleProblem, LevelBreak, "the step rules cannot be carried through a schema"},
	{ruleCapName, LevelBreak, "the capability names another tool"},
	{ruleCapScenarioGo, LevelBreak, "a supported scenario was removed"},
	{ruleCapScenarioNew, LevelAddition, "a supported scenario was added"},
	{ruleCapEffortGo, LevelBreak, "a fidelity level was removed"},
	{ruleCapEffortNew, LevelAddition, "a fidelity level was added"},
	{ruleCapNarrowed, LevelBreak, "an input constraint became tighter"},
	{ruleCapWidened, LevelAddition, "an input constraint became looser"},
	{ruleCapLimit, LevelSemantic, "the known limitations changed"},
	{ruleCapProfile, LevelDocs, "the performance profile changed"},
	{ruleCapGone, LevelSemantic, "the tool no longer states its capability"},
	{ruleCapStated, LevelAddition, "the tool states its capability now"},
	{ruleCapOrder, LevelDocs, "the order of a list changed, or a member that says nothing to agents"},
	{ruleCapUnknown, LevelBreak, "a member of the capability that this program does not know changed"},
}
