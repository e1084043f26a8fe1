//! Problems of files with objects and of other files that are read as data.

use crate::model::message::messages;
use crate::model::secret;

messages! {
    /// Problem of a file that is read as data: not valid, incomplete, or too large.
    pub enum DocumentProblem {
        // YAML and JSON
        TooManyValues
            = "more values than there is memory for, or one of more than 32 MiB",
              "值的数量超过可用内存，或有一个值超过 32 MiB";
        TooLargeText
            = "larger than 4 GiB, which is more than a dump can have; not read", "大于 4 GiB，超过转储的上限；未读取";
        BytesReplaced { count: u64 }
            = "{count} bytes that are no text replaced, the first one on this line",
              "已替换 {count} 个非文本字节，第一个位于此行";
        ControlCharactersReplaced { count: u64 }
            = "{count} control characters replaced, the first one on this line", "已替换 {count} 个控制字符，第一个位于此行";
        TooManyBroken { most: usize }
            = "more than {most} broken documents; the rest of the file is not read",
              "损坏的文档超过 {most} 个；文件其余部分未读取";
        ManyBroken
            = "too many broken documents; the rest of the file is not read", "损坏的文档过多；文件其余部分未读取";
        InvalidYaml { error: String, character: usize, line: u64, column: usize }
            = "invalid YAML: {error} at char {character} line {line} column {column}",
              "无效的 YAML：{error}，位于第 {character} 个字符，第 {line} 行第 {column} 列";
        TooDeep { levels: usize } = "nested deeper than {levels} levels", "嵌套超过 {levels} 层";
        AliasWithoutAnchor = "an alias without anchor", "别名没有对应的锚点";
        AliasInItself = "an alias stands inside its own anchor", "别名位于其自身的锚点之内";
        TooManyAliases
            = "aliases stand for more nodes than a document may have", "别名代表的节点超过一个文档的上限";
        AliasesTooDeep { levels: usize } = "aliases nest deeper than {levels} levels", "别名嵌套超过 {levels} 层";
        KeyRepeated = "a key is given twice in one mapping; its last value counts", "同一映射中有一个键重复；以最后一个值为准";
        KeysRepeated { count: u64 }
            = "{count} keys are given twice in their mappings, the first one on this line; the last values count",
              "有 {count} 个键在其映射中重复，第一个位于此行；以最后的值为准";
        InvalidJson { fault: JsonFault } = "invalid JSON: {fault}", "无效的 JSON：{fault}";

        // Objects
        NoDocument = "holds no document", "没有文档";
        SeveralDocuments = "holds several documents, of which rules read the first", "包含多个文档，规则只读取第一个";
        TooManyObjects
            = "more objects than there is memory for; those from here on were not read: analyse this file by itself, or collect its namespaces one by one",
              "对象数量超过可用内存；从此处起未读取：请单独分析此文件，或逐个收集其命名空间";
        TooManyObjectsInBundle { most: usize }
            = "more than {most} objects, the rest was left out", "对象超过 {most} 个，其余已省略";
        MoreObjects { count: usize }
            = "{count} more of its objects could not be understood", "另有 {count} 个对象无法识别";
        TextForObject { text: String } = "text in place of an object: {text}", "对象处是文本：{text}";
        OtherUids { count: u64 }
            = "objects that another file has with another uid, {count} in all, the first one on this line: the files are of several clusters or times; analyse each by itself",
              "另一个文件中有同名但 uid 不同的对象，共 {count} 个，第一个位于此行：这些文件来自多个集群或不同时间；请分别分析";
        OtherDump { newest: String }
            = "a dump of `kubectl cluster-info` of another cluster or another time than `{newest}`, which is the newest; not read: analyse this file by itself",
              "`kubectl cluster-info` 的转储，来自与最新的 `{newest}` 不同的集群或不同的时间；未读取：请单独分析此文件";
        ListsTooDeep { most: usize }
            = "lists within lists deeper than {most} are not read", "列表嵌套超过 {most} 层，未读取";
        ItemsNoSequence = "items of a list are no sequence", "列表的 items 不是序列";
        ListWithoutItems
            = "a list without `items`, so its objects are not known", "列表没有 `items`，因此其中的对象未知";
        PartOfList
            = "a part of a list, which goes on elsewhere (metadata.continue or remainingItemCount)",
              "列表的一部分，其余部分在别处 (metadata.continue 或 remainingItemCount)";
        ListWithoutEnd
            = "a list without its end: `kind`, which comes after the objects, is missing; further objects may be missing",
              "列表没有结尾：缺少位于对象之后的 `kind`；可能还缺少其他对象";
        ListCut
            = "a list without its end: `kind`, which comes after the objects, is missing; the last object, which may be cut, is left out",
              "列表没有结尾：缺少位于对象之后的 `kind`；最后一个对象可能被截断，已省略";
        ObjectRepeated
            = "an object stands in this file twice; the newer one counts: the one with the higher resourceVersion, else the last",
              "此文件中有一个对象出现两次；以较新者为准：resourceVersion 较高者，否则为最后一个";
        ObjectsRepeated { count: u64 }
            = "{count} objects stand in this file twice, the first one on this line; the newer ones count: those with the higher resourceVersion, else the last",
              "此文件中有 {count} 个对象出现两次，第一个位于此行；以较新者为准：resourceVersion 较高者，否则为最后一个";
        ObjectWithoutKind = "an object without kind, left out", "对象没有 kind，已省略";
        ObjectWithoutName { kind: String }
            = "a {kind} without metadata.name, left out", "{kind} 没有 metadata.name，已省略";
        ObjectWithoutNames
            = "an object without namespace and name, left out", "对象没有命名空间和名称，已省略";
        Answered { answer: Answer } = "{answer}", "{answer}";

        // Tables and descriptions
        TableOfUnknownType
            = "a table whose type neither its path nor its columns tell; not read",
              "表格的类型无法由路径或列得知；未读取";
        TableWithoutNamespaces { types: String }
            = "a table of {types} without their namespaces is read as that of default; collect it with `kubectl get -A`, or name the file like `pods -n shop.txt`",
              "{types} 的表格没有命名空间，按 default 读取；请用 `kubectl get -A` 收集，或将文件命名为类似 `pods -n shop.txt`";
        NoTable = "holds no table of kubectl", "没有 kubectl 的表格";
        LineBeforeTable
            = "a line in front of the table that is no message of kubectl", "表格之前有一行不是 kubectl 的消息";
        LineOutsideColumns
            = "a line that does not fit the columns of the table", "有一行与表格的列不符";
        RowWithoutName = "a row without a name", "有一行没有名称";
        RowWithoutNamespace = "a row without a namespace", "有一行没有命名空间";
        NothingDescribed
            = "describes no object in a form that is known; nothing was read", "没有以已知格式描述的对象；未读取任何内容";

        // Helm
        HelmRelease { name: String, fault: HelmFault } = "Helm release {name}: {fault}", "Helm release {name}：{fault}";
        HelmReleaseWithoutName = "a release of Helm without name, left out", "Helm release 没有名称，已省略";

        // Limits
        TooLarge { most: u64 }
            = "larger than {most} bytes, which is more than a dump may have (--max-dump); not read, so allow more or collect it by namespace",
              "大于 {most} 字节，超过转储的上限 (--max-dump)；未读取，请提高上限或按命名空间收集";
        DescriptionTooLarge { most: u64 }
            = "larger than {most} bytes, which is more than a description may have (--max-dump); not read",
              "大于 {most} 字节，超过描述的上限 (--max-dump)；未读取";
        NoMemory { mebibytes: u64 }
            = "not read: dumps and the files that rules ask for may take {mebibytes} MiB of memory together (--max-memory), and the smaller ones were read first; allow more, or analyse this file by itself, too",
              "未读取：转储和规则所需的文件合计最多占用 {mebibytes} MiB 内存 (--max-memory)，较小的文件已先读取；请提高上限，或另外单独分析此文件";
        NoMemoryForRules
            = "not read for rules: it holds more values than there is memory for", "未供规则读取：其中的值超过可用内存";
        CutForRules { most: u64 }
            = "only the first {most} bytes were read for rules", "只读取了前 {most} 字节供规则使用";
        TooManyTexts { most: u64 }
            = "not read for what it tells about the bundle: such files have more than {most} bytes",
              "未读取其中关于支持包的信息：此类文件合计超过 {most} 字节";
        TooManySections { most: usize }
            = "more than {most} sections; those behind were not read", "部分超过 {most} 个；其后的部分未读取";
    }
}

messages! {
    /// Error in a JSON text.
    pub enum JsonFault {
        TooDeep { levels: usize } = "nested deeper than {levels} levels", "嵌套超过 {levels} 层";
        OpenString = "a string does not end", "字符串没有结束";
        LineEndInString = "a line end or tab in a string", "字符串中有换行或制表符";
        UnknownEscape = "an unknown escape in a string", "字符串中有未知的转义";
        FourDigits = "four hexadecimal digits expected behind \\u", "\\u 之后应为四位十六进制数字";
        /// The character is escaped.
        Expected { token: JsonToken, found: String } = "expected {token}, found `{found}`", "应为{token}，实际为 `{found}`";
        ExpectedMore { token: JsonToken } = "expected {token}, but the text ends", "应为{token}，但文本已结束";
    }
}

messages! {
    /// Part of a JSON text. The Chinese begins with a space before a character.
    pub enum JsonToken {
        CommaOrBrace = "`,` or `}}`", " `,` 或 `}}`";
        CommaOrBracket = "`,` or `]`", " `,` 或 `]`";
        Colon = "`:`", " `:`";
        Key = "a key in quotes", "带引号的键";
        Value = "a value", "值";
        NumberEnd = "the end of a number", "数字的结尾";
        Digit = "a digit", "数字";
    }
}

messages! {
    /// Reason why the payload of a Helm release is unreadable.
    pub enum HelmFault {
        Missing = "the record holds no release data", "记录中没有 release 数据";
        NotBase64 = "its release data is not base64", "其 release 数据不是 base64";
        NotGzip { error: String } = "its release data is not gzip: {error}", "其 release 数据不是 gzip：{error}";
        TooLarge { mebibytes: u64 }
            = "its release data expands to more than {mebibytes} MiB", "其 release 数据展开后超过 {mebibytes} MiB";
        NotJson { error: String }
            = "its release data is not the JSON of Helm 3: {error}", "其 release 数据不是 Helm 3 的 JSON：{error}";
        NotProtobuf { offset: usize }
            = "its release data is not the protobuf of Helm 2: no protobuf message from byte {offset} on",
              "其 release 数据不是 Helm 2 的 protobuf：从第 {offset} 字节起不是 protobuf 消息";
        TooManyManifests { mebibytes: u64 }
            = "manifests beyond {mebibytes} MiB together are not read", "manifest 合计超过 {mebibytes} MiB 的部分未读取";
        BrokenManifests { count: usize }
            = "{count} of its manifests are no valid YAML", "其中 {count} 个 manifest 不是有效的 YAML";
    }
}

messages! {
    /// Content of a file in place of the data that it should hold.
    pub enum Answer {
        /// The words of a command or of the collector.
        Said { said: String } = "{said}", "{said}";
        Status { status: String }
            = "the API server answered with a status: {status}", "API 服务器返回状态：{status}";
        Error { error: String } = "the API server answered with an error: {error}", "API 服务器返回错误：{error}";
        HtmlPage
            = "an HTML page in place of objects, as a proxy or a login page answers",
              "对象处是 HTML 页面，如代理或登录页面的响应";
        /// The file is cut off or damaged.
        Beginning = "its beginning, because it is cut off or damaged", "其开头部分，因为它被截断或损坏";
        /// The file was not read.
        NotRead { problem: Box<DocumentProblem> } = "{problem}", "{problem}";
    }
}

impl Answer {
    /// Keeps the first 200 characters of the words, without secrets.
    pub fn beginning(said: &str) -> Self {
        const SHOWN: usize = 200;
        Self::Said { said: secret::redact(said).chars().take(SHOWN).collect() }
    }
}

impl From<String> for Answer {
    fn from(said: String) -> Self {
        Self::Said { said }
    }
}

impl From<DocumentProblem> for Answer {
    fn from(problem: DocumentProblem) -> Self {
        Self::NotRead { problem: Box::new(problem) }
    }
}
