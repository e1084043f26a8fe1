//! Problems of rules with the data of a bundle.

use crate::model::message::{Reason, WrongValue, messages};

messages! {
    /// Problem of a rule with the data of a bundle.
    pub enum RuleProblem {
        Wrong { wrong: WrongValue, expression: String }
            = "{wrong} in `{expression}`; the condition counts as false", "`{expression}` 中{wrong}；该条件视为不成立";
        OfRule { rule: String, problem: FindingProblem } = "{rule}: {problem}", "{rule}：{problem}";
        /// The error of the regex engine.
        Patterns { error: String } = "{error}", "{error}";
    }
}

messages! {
    /// Problem with the findings of one rule.
    pub enum FindingProblem {
        TooManyFindings { more: usize, most: usize }
            = "{more} more findings of this rule are left out; the first {most} by name are shown",
              "此规则另有 {more} 个结论未列出；按名称显示前 {most} 个";
        TooManyTimes { most: usize }
            = "findings with more than {most} times: only the latest decide what is near them",
              "结论的时间超过 {most} 个：只有最近的时间决定其附近有什么";
        /// The error of a text of the rule.
        Text { error: String } = "{error}", "{error}";
        Undecided { reason: Reason } = "{reason}", "{reason}";
    }
}
