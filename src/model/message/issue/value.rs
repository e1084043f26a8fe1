//! Values that an expression cannot use.

use crate::model::message::{DocumentProblem, Names, messages};

messages! {
    /// Reason why an expression cannot use a value.
    pub enum WrongValue {
        // Types
        Expected { found: ValueKind, expected: ExpectedValue }
            = "{found} is where {expected} is expected", "应为{expected}之处是{found}";
        IsNo { found: Operand, wanted: WantedValue } = "{found} is no {wanted}", "{found}不是{wanted}";
        NeitherTrueNorFalse { found: Operand } = "{found} is neither true nor false", "{found}既不是 true 也不是 false";
        NeitherListNorMap { found: ValueKind } = "{found} is neither a list nor a map", "{found}既不是列表也不是映射";
        NoKey { found: ValueKind } = "{found} cannot be a key", "{found}不能作为键";
        NoIndex { found: ValueKind } = "{found} cannot be an index", "{found}不能作为索引";
        NoSize { found: ValueKind } = "{found} has no size", "{found}没有大小";
        NoField { found: ValueKind, field: String } = "{found} has no field {field}", "{found}没有字段 {field}";
        NotNegatable { found: ValueKind } = "{found} cannot be negated", "{found}不能取负";
        NotSummable { found: ValueKind } = "{found} cannot be summed", "{found}不能求和";
        NotJoinable { found: ValueKind } = "{found} cannot be joined to a text", "{found}不能连接为文本";
        NoOrder { left: ValueKind, right: ValueKind } = "{left} has no order against {right}", "{left}与{right}无法比较";
        NoMeaning { left: ValueKind, sign: &'static str, right: ValueKind }
            = "{left} {sign} {right} has no meaning", "{left} {sign} {right}没有意义";

        // Arguments
        NegativePosition = "a position is negative", "位置为负数";
        TypeOfConditionNotText = "the type of a condition is text", "条件的类型应为文本";
        GetTakesNames = "get of a type takes a namespace and a name", "按类型 get 需要命名空间和名称";
        FindAllTakesTexts = "find_all takes a text and a pattern", "find_all 需要文本和模式";
        CidrFreeTakesRanges
            = "cidr_free takes a range, excluded ranges and used addresses",
              "cidr_free 需要地址范围、排除的范围和已用地址";
        UnknownOperator = "a selector has an operator that is not known", "选择器使用了未知的运算符";
        NoSettings { group: String } = "there is no group of settings {group}", "没有名为 {group} 的设置组";
        NoTable { of: String, known: Box<Names> }
            = "there is no table of {of}: one of {known}", "没有 {of} 的表格：应为 {known} 之一";
        /// The error of a pattern, with "the pattern is not valid".
        Pattern { error: String } = "{error}", "{error}";
        /// The error of a range of versions.
        Range { error: String } = "{error}", "{error}";

        // Limits
        TooManyCertificates { most: usize } = "a text has more than {most} certificates", "文本中的证书超过 {most} 个";
        TooManyMetrics { most: usize } = "a text has more than {most} metrics", "文本中的指标超过 {most} 个";
        TableTooLong { most: usize } = "a table has more than {most} rows", "表格超过 {most} 行";
        TooDeep { levels: usize } = "objects nest deeper than {levels} levels", "对象嵌套超过 {levels} 层";
        TooManyOwners { most: usize } = "more than {most} objects own each other", "互为所有者的对象超过 {most} 个";
        TooLongToDecode { mebibytes: usize }
            = "a text to decode is longer than {mebibytes} MiB", "待解码的文本超过 {mebibytes} MiB";
        ExpandsTooFar { mebibytes: usize }
            = "a text expands to more than {mebibytes} MiB", "文本展开后超过 {mebibytes} MiB";

        // Decoded texts
        NotJson { error: String } = "a text is no JSON: {error}", "文本不是 JSON：{error}";
        UnreadableJson { problem: Box<DocumentProblem>, line: u64 }
            = "a JSON text cannot be read: {problem} (line {line})", "无法读取 JSON 文本：{problem}（第 {line} 行）";
        NotYaml { problem: Box<DocumentProblem>, line: u64 }
            = "a text is no YAML: {problem} (line {line})", "文本不是 YAML：{problem}（第 {line} 行）";
        NotBase64 = "a text is no base64", "文本不是 base64";
        NotGzip { error: String } = "a text is no gzip: {error}", "文本不是 gzip：{error}";
        Masked
            = "the text is masked, as it is or holds a secret; of a Secret give certs the Secret itself",
              "该文本已被遮盖，因为它是机密或包含机密；对于 Secret，请将 Secret 本身传给 certs";
    }
}

messages! {
    /// Type of a value.
    pub enum ValueKind {
        Null = "null", "null";
        Unknown = "something that is not known", "未知的值";
        Boolean = "a boolean", "布尔值";
        Number = "a number", "数字";
        Text = "text", "文本";
        Time = "a time", "时间";
        Duration = "a duration", "时长";
        List = "a list", "列表";
        Map = "a map", "映射";
        Object = "an object", "对象";
        Hits = "a group of log hits", "一组日志匹配";
        Sequence = "a sequence of log hits", "一个日志匹配序列";
        Events = "a group of events", "一组事件";
        File = "a file", "文件";
        Nothing = "nothing", "空";
    }
}

messages! {
    /// Value in a message: its type or its text.
    pub enum Operand {
        Kind { kind: ValueKind } = "{kind}", "{kind}";
        Text { text: String } = "'{text}'", "'{text}'";
        LongText { beginning: String } = "'{beginning}...'", "'{beginning}...'";
    }
}

impl Operand {
    /// Shows the first 60 characters of a text.
    pub fn text(text: &str) -> Self {
        const SHOWN: usize = 60;
        match text.char_indices().nth(SHOWN) {
            Some((end, _)) => Self::LongText { beginning: text.get(..end).unwrap_or_default().to_owned() },
            None => Self::Text { text: text.to_owned() },
        }
    }
}

impl From<ValueKind> for Operand {
    fn from(kind: ValueKind) -> Self {
        Self::Kind { kind }
    }
}

messages! {
    /// Value that a place in an expression takes.
    pub enum ExpectedValue {
        Condition = "true or false", " true 或 false ";
        Text = "text", "文本";
        WholeNumber = "a whole number", "整数";
        List = "a list", "列表";
        Object = "an object", "对象";
        Group = "a group of log lines or events", "一组日志行或事件";
        TextOrSecret = "a text or a Secret", "文本或 Secret ";
    }
}

messages! {
    /// Value that a function can read.
    pub enum WantedValue {
        Scalar = "scalar", "标量";
        Number = "number", "数字";
        WholeNumber = "whole number", "整数";
        Quantity = "quantity", "数量";
        Name = "name", "名称";
        Address = "address", "地址";
        AddressOrRange = "address or range such as 10.0.0.0/24", "地址或范围（例如 10.0.0.0/24）";
        Time = "time", "时间";
        TimeInRfc3339 = "time in RFC 3339", " RFC 3339 格式的时间";
        Duration = "duration such as 3d4h, 90s or 1.5h", "时长（例如 3d4h、90s 或 1.5h）";
    }
}
