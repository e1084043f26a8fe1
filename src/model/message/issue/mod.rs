//! Sentences about unreadable data and undecided questions.

mod archive;
mod document;
mod log;
mod rule;
mod value;

use super::{Reason, messages};

pub use archive::{ArchiveFault, ArchiveProblem, NameProblem, Recovery, RecoveryEnd, ZipMethod};
pub use document::{Answer, DocumentProblem, HelmFault, JsonFault, JsonToken};
pub use log::{LogProblem, ZoneOffsets};
pub use rule::{FindingProblem, RuleProblem};
pub use value::{ExpectedValue, Operand, ValueKind, WantedValue, WrongValue};

messages! {
    /// Sentence of an issue.
    pub enum IssueMessage {
        // Bundles
        NotADump
            = "is among the dumps, but its name is not that of a type (TYPE.yaml or TYPE.json), so it is not read",
              "位于转储之中，但其名称不是类型名（TYPE.yaml 或 TYPE.json），因此未读取";
        NotDumps { others: usize }
            = "is among the dumps, but its name is not that of a type (TYPE.yaml or TYPE.json), so it is not read; {others} more like it",
              "位于转储之中，但其名称不是类型名（TYPE.yaml 或 TYPE.json），因此未读取；另有 {others} 个同类文件";
        NothingRead { why: Reason } = "objects and logs were not read: {why}", "未读取对象和日志：{why}";
        Obfuscated
            = "the collection is obfuscated (option -o): words stand in place of addresses and names of hosts, the same word for the same name in this bundle only; what needs addresses cannot be evaluated",
              "该收集结果经过混淆（选项 -o）：地址和主机名被词语取代，同一名称仅在此支持包中对应同一词语；需要地址的内容无法评估";
        EncryptedResult
            = "named like an archive, and none: the collector encrypts its results for SUSE, so nothing of them was read; ask for a run without encryption",
              "名称像归档，但不是归档：收集工具为 SUSE 加密其结果，因此未读取任何内容；请要求不加密运行";
        Archive { problem: ArchiveProblem } = "{problem}", "{problem}";
        Outside { given: String, message: Box<IssueMessage> }
            = "beside this bundle in `{given}`: {message}", "`{given}` 中此支持包之外：{message}";
        OutsideAt { given: String, entry: String, message: Box<IssueMessage> }
            = "beside this bundle in `{given}`: `{entry}`: {message}", "`{given}` 中此支持包之外：`{entry}`：{message}";

        Document { problem: DocumentProblem } = "{problem}", "{problem}";
        Log { problem: LogProblem } = "{problem}", "{problem}";
        Rule { problem: RuleProblem } = "{problem}", "{problem}";

        /// English sentence kept by the store of `triage`.
        Stored { text: String } = "{text}", "{text}";
    }
}

/// Makes a message of each problem.
macro_rules! problems {
    ($($problem:ident in $variant:ident),+ $(,)?) => {
        $(
            impl From<$problem> for IssueMessage {
                fn from(problem: $problem) -> Self {
                    Self::$variant { problem }
                }
            }
        )+
    };
}

problems!(ArchiveProblem in Archive, DocumentProblem in Document, LogProblem in Log, RuleProblem in Rule);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Lang;
    use crate::model::message::{Examples, Message, Names};

    /// Returns the texts that redaction can change.
    fn texts(mut message: IssueMessage) -> Vec<String> {
        let mut found = Vec::new();
        message.texts(&mut |text| found.push(text.clone()));
        found
    }

    fn text(text: &str) -> String {
        text.to_owned()
    }

    #[test]
    fn redaction_reaches_every_name() {
        let recovery = Recovery {
            entries: 9,
            more: false,
            partly: 3,
            examples: Examples::first(["b", "c", "left-out"].map(text), 2),
            lost: 0,
            end: None,
        };
        let fault = ArchiveFault::NothingLeft { fault: Box::new(ArchiveFault::ReadFailed { error: text("a") }) };
        let zip = ArchiveProblem::ZipRecovered { fault, recovery: Box::new(recovery) };
        let zip = ArchiveProblem::InArchive { archive: text("n1.zip"), problem: Box::new(zip) };
        let outside = IssueMessage::OutsideAt { given: text("g"), entry: text("e"), message: Box::new(zip.into()) };
        assert_eq!(texts(outside), ["g", "e", "n1.zip", "a", "b", "c"]);

        let fault = JsonFault::Expected { token: JsonToken::Colon, found: text("f") };
        let problem = Box::new(DocumentProblem::InvalidJson { fault });
        let wrong = WrongValue::UnreadableJson { problem, line: 7 };
        let of_value = RuleProblem::Wrong { wrong, expression: text("json(a)") };
        assert_eq!(texts(of_value.into()), ["f", "json(a)"]);
        let found = Operand::text("node-1");
        let wrong = WrongValue::IsNo { found, wanted: WantedValue::Time };
        assert_eq!(texts(RuleProblem::Wrong { wrong, expression: text("x") }.into()), ["node-1", "x"]);
        let known = Box::new(Names::all(["df"]));
        let wrong = WrongValue::NoTable { of: text("ls"), known };
        assert_eq!(texts(RuleProblem::Wrong { wrong, expression: text("x") }.into()), ["ls", "df", "x"]);

        let offsets = ZoneOffsets(vec![text("+02:00")]);
        assert_eq!(texts(LogProblem::ZoneOfNode { node: text("n1"), offsets }.into()), ["n1"]);
        let answer = Answer::beginning("Error from server");
        assert_eq!(texts(DocumentProblem::Answered { answer }.into()), ["Error from server"]);
        let fault = HelmFault::NotGzip { error: text("e") };
        assert_eq!(texts(DocumentProblem::HelmRelease { name: text("shop"), fault }.into()), ["shop", "e"]);
    }

    #[test]
    fn a_recovered_zip_is_described_in_both_languages() {
        let recovery = |more, partly, lost, end| Recovery {
            entries: 4,
            more,
            partly,
            examples: Examples::first(["a", "b"].map(text), 1),
            lost,
            end,
        };
        let shown = |recovery: Recovery| {
            let problem =
                ArchiveProblem::ZipRecovered { fault: ArchiveFault::NoDirectory, recovery: Box::new(recovery) };
            [problem.to_string(), problem.in_language(Lang::Zh).to_string()]
        };
        assert_eq!(
            shown(recovery(false, 0, 0, None)),
            [
                "the zip archive is cut off: the directory at its end is missing or damaged; 4 entries were read from their own headers",
                "zip 归档被截断：末尾的目录缺失或损坏；从条目自身的头部读取了 4 个条目"
            ]
        );
        assert_eq!(
            shown(recovery(true, 2, 7, Some(RecoveryEnd::TooDamaged))),
            [
                "the zip archive is cut off: the directory at its end is missing or damaged; 4 more entries were read from their own headers, 2 of them only in part: `a` and others; 7 bytes between entries are lost; the rest was not read: it is too damaged to look for more",
                "zip 归档被截断：末尾的目录缺失或损坏；另从条目自身的头部读取了 4 个条目，其中 2 个只读取了一部分：`a` 等；条目之间有 7 字节丢失；其余未读取：损坏过于严重，无法继续查找"
            ]
        );
    }

    #[test]
    fn values_are_named_in_both_languages() {
        let wrong = WrongValue::Expected { found: ValueKind::Map, expected: ExpectedValue::List };
        let problem = RuleProblem::Wrong { wrong, expression: text("a + b") };
        assert_eq!(problem.to_string(), "a map is where a list is expected in `a + b`; the condition counts as false");
        assert_eq!(problem.in_language(Lang::Zh).to_string(), "`a + b` 中应为列表之处是映射；该条件视为不成立");
        let long = WrongValue::IsNo { found: Operand::text(&"x".repeat(61)), wanted: WantedValue::Number };
        assert_eq!(long.to_string(), format!("'{}...' is no number", "x".repeat(60)));
    }
}
