//! Data that a bundle usually holds but was not collected, and the reasons.

use jiff::Timestamp;

use super::{Answer, ArchiveProblem, Beginning, IssueMessage, Names, NodeNames, Reason, messages};

messages! {
    /// Data that was not collected.
    pub enum GapSubject {
        Namespaces { names: Names } = "namespaces {names}", "命名空间 {names}";
        ObjectsWithoutNamespace = "objects without namespace", "不属于命名空间的对象";
        ObjectsOfAllNamespaces = "objects of all namespaces", "所有命名空间的对象";
        CustomResources = "custom resources", "自定义资源";
        Secrets = "secrets", "Secret";
        ObjectsInNoFile = "objects that are in no file", "不在任何文件中的对象";
        MostObjects = "most objects of the cluster, and logs of pods", "集群的大部分对象，以及 Pod 日志";
        ObjectsLogsAndNodes = "objects of the cluster, logs of pods, other nodes", "集群对象、Pod 日志、其他节点";
        ObjectsAndLogs = "objects and logs (none was read)", "对象和日志（均未读取）";
        UnknownPart = "an unknown part of the bundle", "支持包的未知部分";
        Entry { path: String } = "{path}", "{path}";
        TimeOfCollection = "time of collection", "收集时间";

        // Types of objects that the collector could not get
        Types { types: Names } = "{types}", "{types}";
        TypesOfNamespace { types: Names, namespace: String }
            = "{types} of namespace {namespace}", "命名空间 {namespace} 的 {types}";
        TypesOfNamespaces { types: Names, count: usize } = "{types} of {count} namespaces", "{count} 个命名空间的 {types}";

        // Files
        File { file: CollectedFile } = "{file}", "{file}";
        Files { files: Names<CollectedFile> } = "{files}", "{files}";
        FilesOfNodes { nodes: NodeNames } = "files and logs of {nodes}", "{nodes} 的文件和日志";

        // Logs
        LogsOfSomeNamespaces = "logs of some namespaces", "部分命名空间的日志";
        PodLog { pod: String, container: String }
            = "log of pod {pod}, container {container}", "Pod {pod} 中容器 {container} 的日志";
        PodLogs { pod: String } = "logs of pod {pod}", "Pod {pod} 的日志";
        ContainerLogs { count: usize, example: String }
            = "logs of {count} containers such as {example}", "{count} 个容器的日志，例如 {example}";
        ContainerLogsOf { count: usize, namespace: String, example: String }
            = "logs of {count} containers in {namespace} such as {example}",
              "{namespace} 中 {count} 个容器的日志，例如 {example}";
        BeginningOfLog { log: LogOwner } = "the beginning of the log of {log}", "{log} 日志的开头";
        BeginningOfLogs { count: usize, log: LogOwner }
            = "the beginning of {count} logs such as that of {log}", "{count} 个日志的开头，例如 {log}";
        LinesOfLog { log: LogOwner } = "lines in the log of {log}", "{log} 日志的内容";
        LinesOfLogs { count: usize, log: LogOwner }
            = "lines in {count} logs such as that of {log}", "{count} 个日志的内容，例如 {log}";
        OlderLinesOfPodLog { path: String }
            = "older lines of the pod log {path}, which is empty", "空的 Pod 日志 {path} 中更早的行";
        OlderLinesOfPodLogs { count: usize, path: String }
            = "older lines of {count} pod logs that are empty, such as {path}",
              "{count} 个空的 Pod 日志中更早的行，例如 {path}";

        // Data that the collector's errors do not name
        Unnamed = "what the collector does not name", "收集工具未说明的内容";
        MoreKinds { count: usize } = "{count} more kinds of things", "另外 {count} 类";
        MoreThings { count: u64 } = "{count} more things", "另外 {count} 项";

        /// English text kept by the store of `triage`.
        Stored { text: String } = "{text}", "{text}";
    }
}

impl GapSubject {
    /// Objects of a type, in one namespace or all.
    pub fn objects(types: impl Into<String>, namespace: Option<&str>) -> Self {
        let types = Names::all([types]);
        match namespace {
            Some(namespace) => Self::TypesOfNamespace { types, namespace: namespace.to_owned() },
            None => Self::Types { types },
        }
    }

    /// Shortens a list of names to about `limit` characters. Two names stay together.
    pub fn shortened(&self, limit: usize) -> Self {
        match self {
            Self::Namespaces { names } => {
                let fits = |names: &Names| Self::Namespaces { names: names.clone() }.to_string().len() <= limit;
                Self::Namespaces { names: names.shortened(fits) }
            }
            Self::FilesOfNodes { nodes } => {
                let fits = |nodes: &NodeNames| Self::FilesOfNodes { nodes: nodes.clone() }.to_string().len() <= limit;
                Self::FilesOfNodes { nodes: nodes.shortened(fits) }
            }
            other => other.clone(),
        }
    }
}

messages! {
    /// Reason why data was not collected.
    pub enum GapReason {
        NotAmongCollected = "not among those that were collected", "不在收集范围内";
        NoDump = "the bundle holds no dump of them", "支持包中没有它们的转储";
        LeftOut = "the collector leaves them out", "收集工具不收集它们";
        NoCollector
            = "no collector states which objects it read; the files contain what was requested",
              "没有收集工具说明读取了哪些对象；文件中只有当时查询的内容";
        NotReadWhole = "could not be read completely", "未能完整读取";
        /// The bundle is damaged.
        Damaged { why: Beginning<ArchiveProblem> } = "{why}", "{why}";
        /// The words of the collector, kubectl or the API server.
        Said { said: Answer } = "{said}", "{said}";
        NothingSaid = "the collector gives no reason", "收集工具未说明原因";
        SeeErrors = "see the collector's own errors", "见收集工具自身的错误";
        TooManyErrors = "the collector reported too many errors to list", "收集工具的错误过多，未全部列出";
        NothingRead { why: Reason } = "{why}", "{why}";

        // Nodes
        NodeNotReady
            = "the node is not ready, and the bundle holds no archive of it", "节点未就绪，支持包中没有该节点的归档";
        NodeTainted { taint: String }
            = "the bundle holds no archive of it; its taint {taint} may have kept the collector away",
              "支持包中没有该节点的归档；污点 {taint} 可能使收集工具无法在其上运行";
        NoArchive = "the bundle holds no archive of it", "支持包中没有该节点的归档";
        ArchiveEmpty
            = "its archive holds no files: the collector does not know what to collect on the node's operating system",
              "其归档中没有文件：收集工具不知道在该节点的操作系统上收集什么";
        ArchiveUnreadable { why: Box<IssueMessage> } = "its archive could not be read: {why}", "无法读取其归档：{why}";
        OneNodePerBundle
            = "the collector runs on one node, so each node has a bundle of its own: ask for that of this node, too",
              "收集工具只在一个节点上运行，每个节点各有一份支持包：请同时索取该节点的支持包";
        RanInPod
            = "the collector ran inside a pod, which cannot see hosts", "收集工具在 Pod 内运行，看不到主机的内容";
        ReadsApi
            = "the collector reads the API of the cluster, not files on its nodes",
              "收集工具读取集群 API，不读取节点上的文件";
        AsksApi = "the collector queries the API of the cluster, not the node", "收集工具查询集群 API，不查询节点";
        OneMachine
            = "this is a collection of one machine; ask for that of this node, too",
              "这是单台机器的收集结果；请同时索取该节点的收集结果";

        // Clusters
        FewTypes = "sosreport collects only a few types", "sosreport 只查询少数类型";
        NodeArchive
            = "this is the archive of a node alone; ask for the bundle that it was taken from",
              "这只是一个节点的归档；请索取它所属的支持包";
        NoCluster
            = "this collection is of one machine; ask for a support bundle of the cluster, too",
              "这是单台机器的收集结果；请同时索取集群的支持包";

        // Logs
        EndOfJournal = "the collector keeps the last 10 MiB of a journal", "收集工具只保留 journal 的最后 10 MiB";
        JournalEmpty = "the journal has no entries of it", "journal 中没有它的条目";
        FileEmpty = "the file is empty", "文件为空";
        QuietPods
            = "these pods logged nothing in the days that the collector requests (7 by default)",
              "这些 Pod 在收集工具查询的天数内（默认 7 天）没有日志";

        // Time of collection
        TimeOfNewestLine { time: Timestamp, entry: String }
            = "no file states it; {time} is that of the newest line of a log, in {entry}",
              "没有文件说明收集时间；{time} 取自 {entry} 中最新的日志行";
        LastEnd { time: Timestamp, entry: String }
            = "no file states it; {time} is when the last container ended, in {entry}",
              "没有文件说明收集时间；{time} 是最后一个容器结束的时间，位于 {entry}";
        YearBefore { time: Timestamp, entry: String, day: Timestamp }
            = "no file states it, and no line of a log has a year; {time} is that of the newest line, in {entry}, in the newest year before these rules were released ({day})",
              "没有文件说明收集时间，日志行也没有年份；{time} 取自 {entry} 中最新的日志行，年份为这些规则发布（{day}）之前最近的一年";
        DayOfRules { day: Timestamp }
            = "no file states it; ages count from {day}, the day of these rules, so times are only right in relation to each other",
              "没有文件说明收集时间；时长从这些规则的发布日 {day} 起算，因此时间只有相互比较才有意义";
        NoTime
            = "no file states it, and no line of a log has a date with a year",
              "没有文件说明收集时间，日志中也没有带年份的日期";

        /// English text kept by the store of `triage`.
        Stored { text: String } = "{text}", "{text}";
    }
}

messages! {
    /// Data that a collector writes to a file of its own, or to several.
    pub enum CollectedFile {
        Path { path: String } = "{path}", "{path}";
        /// A part of a file, by its key.
        Part { of: Box<CollectedFile>, key: String } = "{of}: {key}", "{of}：{key}";
        /// A file of an unknown name in a folder.
        PartOfFolder { folder: String } = "a part of {folder}", "{folder} 的一部分";
        /// Whatever one of the collectors of troubleshoot.sh collects.
        OfCollector { name: String } = "what collector {name} collects", "收集器 {name} 收集的内容";

        // Steps of rancher2_logs_collector.sh
        ObjectsAndOtherPodLogs = "objects, and logs of pods on other nodes", "对象，以及其他节点上的 Pod 日志";
        Crictl = "output of crictl", "crictl 的输出";
        Docker = "output of docker", "docker 的输出";
        Etcd = "state of etcd", "etcd 的状态";
        Kubectl = "output of kubectl", "kubectl 的输出";
        Step = "a step of the collector", "收集工具的一个步骤";
    }
}

messages! {
    /// Owner of a log.
    pub enum LogOwner {
        Unit { unit: String } = "{unit}", "{unit}";
        UnitOfNode { unit: String, node: String } = "{unit} on node {node}", "节点 {node} 上的 {unit}";
        Pod { namespace: String, pod: String } = "{namespace}/{pod}", "{namespace}/{pod}";
        Container { namespace: String, pod: String, container: String }
            = "{namespace}/{pod} ({container})", "{namespace}/{pod} ({container})";
        Entry { path: String } = "{path}", "{path}";
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_cut_where_they_are_too_long() {
        let namespaces = |names: &[&str]| GapSubject::Namespaces { names: Names::all(names.iter().copied()) };
        let cut = |names: &[&str], limit| namespaces(names).shortened(limit).to_string();
        assert_eq!(cut(&["one", "two", "three", "four"], 18), "namespaces one and 3 more");
        assert_eq!(cut(&["one", "two"], 15), "namespaces one, two");
        assert_eq!(cut(&["one", "two", "three"], 40), "namespaces one, two, three");
        assert_eq!(cut(&["a-very-long-name", "two", "three"], 15), "namespaces a-very-long-name, two, three");
    }
}
