//! Reasons why a question has no answer: a rule, a condition, a possibly incomplete list of objects.

use jiff::Timestamp;

use super::{Answer, ArchiveProblem, DocumentProblem, LogNames, NodeNames, Objects, WrongValue, messages};
use crate::model::ObjectRef;

messages! {
    /// Reason why a question cannot be decided.
    pub enum Reason {
        // Products and versions
        ProductAbsent { product: String } = "{product} is not in this bundle", "此支持包中没有 {product}";
        ProductUnknown { product: String } = "whether {product} is installed is not known", "无法判断是否有 {product}";
        /// The bundle's archive is cut off or damaged.
        ProductLost { product: String, why: ArchiveProblem }
            = "whether {product} is installed is not known: {why}", "无法判断是否有 {product}：{why}";
        OutsideRange { product: String, version: String, range: String }
            = "{product} {version} is outside {range}", "{product} {version} 不在 {range} 范围内";
        VersionUnknown { product: String } = "the version of {product} is not known", "{product} 的版本未知";
        VersionUnordered { product: String, version: String }
            = "version {version} of {product} cannot be ordered", "无法比较 {product} 的版本 {version}";

        // Objects
        NotCollected { objects: Objects } = "{objects} were not collected", "未收集{objects}";
        /// The entry holds only the answer of kubectl or the API server.
        Refused { objects: Objects, entry: String, said: Answer }
            = "{objects} were not collected ({entry}: {said})", "未收集{objects}（{entry}：{said}）";
        /// The error of the collector.
        NotCollectedBecause { objects: Objects, error: String }
            = "{objects} were not collected: {error}", "未收集{objects}：{error}";
        NotCollectedOrLost { objects: Objects, why: ArchiveProblem }
            = "{objects} were not collected, or are lost: {why}", "{objects} 未收集或已丢失：{why}";
        /// Some were collected, and the archive held more than is left of it.
        OthersLost { objects: Objects, why: ArchiveProblem }
            = "other {objects} may be lost: {why}", "其他{objects}可能已丢失：{why}";
        SecretsLeftOut { objects: Objects }
            = "{objects} were not collected (the collector leaves Secrets out)", "未收集{objects}（收集工具不收集 Secret）";
        MayBeLeftOut { objects: Objects }
            = "{objects} were not collected (the collector may leave them out)", "未收集{objects}（收集工具可能不收集它们）";
        NoNamespace { objects: Objects }
            = "{objects} were not collected: the bundle holds no namespace", "未收集{objects}：支持包中没有任何命名空间";
        Unserved { objects: Objects }
            = "{objects} are not known to be served by this cluster", "不清楚此集群是否提供{objects}";
        HelmRecordsNotInTables { types: String }
            = "records of Helm in {types} are not in the tables of the bundle", "支持包的表格不含 {types} 中的 Helm 记录";
        MayNotBeAll { entry: String, types: String }
            = "whether {entry} contains all {types} is not known", "不清楚 {entry} 是否包含全部 {types}";
        MayNotBeAllOfSeveral { entry: String, types: String }
            = "whether {entry} and others contain all {types} is not known", "不清楚 {entry} 等文件是否包含全部 {types}";
        /// A row of a table or a description does not have the field.
        FieldNotStated { field: String, object: Box<ObjectRef>, entry: String }
            = "{field} of {object} is not in {entry}", "{entry} 中没有 {object} 的 {field}";
        LabelsNotStated { object: ObjectRef, entry: String }
            = "labels of {object} are not in {entry}", "{entry} 中没有 {object} 的标签";
        OwnerNotStated { object: ObjectRef, entry: String }
            = "{entry} does not state what {object} belongs to", "{entry} 未说明 {object} 属于什么";
        ColumnsUnknown { object: ObjectRef, why: Box<Reason> }
            = "the output of kubectl for {object} is not known: {why}", "不清楚 kubectl 对 {object} 的输出：{why}";
        NoColumns
            = "its definition has no columns for that version, or is not in the bundle", "其定义没有该版本的列，或不存在定义";
        NamesWithheld { objects: Objects }
            = "the collector withheld names of {objects} (it wrote ***HIDDEN*** or a token)",
              "收集工具隐去了 {objects} 的名称（写为 ***HIDDEN*** 或 token）";
        Withheld
            = "the collector withheld a value (it wrote ***HIDDEN*** or a token)",
              "收集工具隐去了一个值（写为 ***HIDDEN*** 或 token）";

        // Events
        EventsUndated { count: u64 }
            = "the time of {count} matching events is not known", "{count} 个匹配事件的时间未知";
        TooManyEventGroups { most: usize }
            = "more than {most} groups of events match: the others are not counted",
              "匹配的事件超过 {most} 组，超出部分未计入";
        EventBetween { reason: String, object: ObjectRef }
            = "the times between the first and the last occurrence of event {reason} of {object} are not known",
              "不清楚 {object} 的事件 {reason} 在首次与末次之间何时发生";

        // Files
        EntryUnreadable { entry: String } = "{entry} could not be read as a whole", "无法完整读取 {entry}";
        NoEntry { path: String } = "the bundle has no entry {path}", "支持包中没有文件 {path}";
        FileNotThere { file: String } = "{file} is not in the bundle", "支持包中没有 {file}";
        WrongData { wrong: Box<WrongValue>, expression: String }
            = "{wrong} in `{expression}`", "`{expression}` 中{wrong}";
        FileLacks { file: String, problem: DocumentProblem }
            = "values of {file} may be missing: {problem}", "{file} 可能缺少值：{problem}";
        HoldsOnly { file: String, said: Answer } = "{file} contains only: {said}", "{file} 中只有：{said}";
        FilesOfNodes { nodes: NodeNames, count: usize, read: NodeNames }
            = "files of {nodes} are not in the bundle; the {count} of {read} were read",
              "支持包中没有{nodes} 的文件；已读取{read} 的 {count} 个文件";
        FileOfNodes { nodes: NodeNames, read: NodeNames }
            = "files of {nodes} are not in the bundle; that of {read} was read",
              "支持包中没有{nodes} 的文件；已读取{read} 的文件";
        PartMissing { why: ArchiveProblem } = "a part of the bundle is missing: {why}", "支持包缺少一部分：{why}";
        UnknownLayout
            = "it has no collector's layout, and none of its files contains Kubernetes objects or logs",
              "其中没有已知收集工具的布局，也没有文件包含 Kubernetes 对象或日志";
        NothingToRead = "the bundle holds no dump of objects and no log", "支持包中没有对象转储，也没有日志";

        // Logs
        NoLog { logs: LogNames } = "the bundle has no log of {logs}", "支持包中没有 {logs} 的日志";
        /// A pod that wrote such a log may have been there before.
        NoPodWrites { logs: LogNames } = "no pod of this cluster writes a log of {logs}", "此集群没有 Pod 写入 {logs} 的日志";
        NoContainerLog { container: String } = "no log of running container {container}", "没有运行中容器 {container} 的日志";
        NoContainerLogs { count: usize, example: String }
            = "no logs of {count} running containers such as {example}", "没有 {count} 个运行中容器的日志，例如 {example}";
        NodeArchiveDamaged { nodes: NodeNames }
            = "the archive of {nodes} is cut off or damaged: logs in it may be lost",
              "{nodes} 的归档被截断或损坏：其中的日志可能已丢失";
        NoNodeLogs { nodes: NodeNames } = "logs of {nodes} are not in the bundle", "支持包中没有{nodes} 的日志";
        LinesUndated { count: u64, logs: LogNames }
            = "{count} matching lines of {logs} have no time", "{logs} 有 {count} 行匹配但没有时间";
        NodeOfPodUnknown { pod: String } = "the node of pod {pod} is not known", "Pod {pod} 所在节点未知";
        WriterUnknown { entry: String } = "{entry} does not tell which program wrote it", "{entry} 没有说明由哪个程序写入";
        HitsUndated { source: String }
            = "the matching lines of {source} carry no time", "{source} 的匹配行没有时间";
        /// Adds the time range of the logs that are there.
        Covered { reason: Box<Reason>, logs: LogNames, from: Timestamp, to: Timestamp }
            = "{reason}; the collected logs of {logs} cover {from} to {to}",
              "{reason}；现有的 {logs} 日志覆盖 {from} 至 {to}";
        LogNotRead { entry: String } = "{entry} was not read", "未读取 {entry}";
        LogNotReadToEnd { entry: String } = "{entry} could not be read to its end", "{entry} 未能读到末尾";
        LinesTooLong { entry: String }
            = "{entry} has lines longer than --max-line, whose rest was not searched",
              "{entry} 有超过 --max-line 的行，其余部分未被搜索";
        JsonTooDeep { entry: String }
            = "{entry} has lines whose JSON is too deep for a jq filter, or takes too many steps",
              "{entry} 有 jq 过滤器无法处理的行：JSON 嵌套过深或步骤过多";
        TooManyGroupsIn { entry: String }
            = "{entry} has more groups of matching lines than are kept, and those beyond were not counted",
              "{entry} 的匹配行分组过多，超出部分未计入";
        TooManyGroups { most: usize }
            = "more than {most} groups of lines match, and the others were not counted",
              "匹配的行超过 {most} 组，超出部分未计入";
        TooManyHits { most: usize }
            = "more than {most} lines match, and the others were not searched", "匹配的行超过 {most} 行，超出部分未处理";
        TooManyWeighed { most: usize }
            = "more than {most} lines match: only these were considered", "匹配的行超过 {most} 行：只评估了这些行";
        OnlyLastWeighed { entry: String }
            = "only the last matching lines of {entry} were considered", "{entry} 的匹配行只评估了最后一部分";
        LineNotPlaced { entry: String, why: Box<Reason> }
            = "a matching line of {entry} cannot be placed: {why}", "{entry} 有一行匹配无法确定归属：{why}";
        LinesNotPlaced { count: u64, entry: String, why: Box<Reason> }
            = "{count} matching lines of {entry} cannot be placed: {why}", "{entry} 有 {count} 行匹配无法确定归属：{why}";
        BootUnknown = "the bundle does not state when its node booted", "支持包未说明其节点何时启动";
        NodeUnknown = "the bundle does not state on which node it was written", "支持包未说明它写于哪个节点";
        NoBootLogs { node: String }
            = "the bundle has no logs of node {node}, which show its boots",
              "支持包中没有节点 {node} 的日志，无法得知其启动时间";
        NoTimeForBoots { node: String }
            = "it has no time to compare with the boots of {node}", "它没有时间，无法与 {node} 的启动时间比较";
        NoTimeForBootsOfItsNode
            = "it has no time to compare with the boots of its node", "它没有时间，无法与其节点的启动时间比较";

        // Rules
        CollectionTimeUnknown = "the time of collection is not known", "收集时间未知";
        SilenceProvesNothing = "no match, but this proves nothing here", "没有匹配，但在此不能据此得出结论";
        TooManyCombinations
            = "too many combinations: this bundle has more objects than the rule can pair",
              "组合过多：此支持包中的对象超过该规则能够配对的数量";
        TooMuchDecoded { mebibytes: u64 }
            = "one rule decodes at most {mebibytes} MiB of texts; the rest was not decoded",
              "一条规则最多解码 {mebibytes} MiB 的文本；其余未解码";
        TooManySteps { most: u64 }
            = "the rule takes more than {most} steps on this bundle", "该规则在此支持包上需要的步骤超过 {most} 步";
        TooMuchMade { mebibytes: u64 }
            = "an expression or text of the rule makes more than {mebibytes} MiB of values",
              "该规则的某个表达式或文本产生的值超过 {mebibytes} MiB";
        TooMuchKept { mebibytes: u64 }
            = "the rule keeps more than {mebibytes} MiB of values and texts",
              "该规则保留的值和文本超过 {mebibytes} MiB";
        ValueTooLong { most: usize }
            = "a text grows beyond {most} bytes in an expression of the rule", "该规则的某个表达式产生的文本超过 {most} 字节";
        ListTooLong { most: usize }
            = "a list grows beyond {most} items in an expression of the rule", "该规则的某个表达式产生的列表超过 {most} 项";
        TextTooLong { kibibytes: usize }
            = "a text of the rule grows beyond {kibibytes} KiB", "该规则的某段文本超过 {kibibytes} KiB";
        TooManyLinesToPair
            = "there are too many lines to pair for a sequence", "行数过多，无法为序列配对";

        RuleNotRun { rule: String } = "rule {rule} was not run", "未运行规则 {rule}";
        NodeAffinityNotCompared { object: ObjectRef }
            = "whether another node fits the node affinity of {object} is not evaluated",
              "未评估是否有其他节点满足 {object} 的节点亲和性";

        /// English sentence kept by the store of `triage`.
        Stored { text: String } = "{text}", "{text}";
    }
}

impl Reason {
    /// Returns true if a collector hid what would decide.
    pub fn is_withheld(&self) -> bool {
        matches!(self, Self::Withheld | Self::NamesWithheld { .. })
    }

    /// Returns true if the collector did not take the objects, or got none of them: nothing of them was lost afterwards.
    pub fn is_choice_of_collector(&self) -> bool {
        matches!(
            self,
            Self::NotCollected { .. }
                | Self::NotCollectedBecause { .. }
                | Self::Refused { .. }
                | Self::SecretsLeftOut { .. }
                | Self::NoNamespace { .. }
                | Self::Unserved { .. }
                | Self::HelmRecordsNotInTables { .. }
        )
    }

    /// Returns true if something was not collected; nothing of it was lost with a part of an archive.
    pub fn was_not_collected(&self) -> bool {
        match self {
            Self::Covered { reason, .. } => reason.was_not_collected(),
            Self::NotCollectedOrLost { .. }
            | Self::OthersLost { .. }
            | Self::PartMissing { .. }
            | Self::NodeArchiveDamaged { .. } => false,
            _ => self.is_gap(),
        }
    }

    /// Returns true if something was not collected, or was lost with a part of an archive. What was collected was read. A field that a
    /// row of a table does not state was not collected.
    pub fn is_gap(&self) -> bool {
        match self {
            Self::Covered { reason, .. } => reason.is_gap(),
            Self::NotCollected { .. }
            | Self::Refused { .. }
            | Self::NotCollectedBecause { .. }
            | Self::NotCollectedOrLost { .. }
            | Self::OthersLost { .. }
            | Self::MayNotBeAll { .. }
            | Self::MayNotBeAllOfSeveral { .. }
            | Self::SecretsLeftOut { .. }
            | Self::MayBeLeftOut { .. }
            | Self::NoNamespace { .. }
            | Self::Unserved { .. }
            | Self::HelmRecordsNotInTables { .. }
            | Self::FieldNotStated { .. }
            | Self::LabelsNotStated { .. }
            | Self::OwnerNotStated { .. }
            | Self::NoEntry { .. }
            | Self::FileNotThere { .. }
            | Self::HoldsOnly { .. }
            | Self::FilesOfNodes { .. }
            | Self::FileOfNodes { .. }
            | Self::PartMissing { .. }
            | Self::NoLog { .. }
            | Self::NoPodWrites { .. }
            | Self::NoContainerLog { .. }
            | Self::NoContainerLogs { .. }
            | Self::NodeArchiveDamaged { .. }
            | Self::NoNodeLogs { .. } => true,
            _ => false,
        }
    }
}
