//! Problems of logs.

use std::fmt::{self, Formatter};

use crate::model::Lang;
use crate::model::message::{Message, join, messages};

messages! {
    /// Problem of a log, or of the search in all logs.
    pub enum LogProblem {
        Stopped { bytes: u64, error: String }
            = "reading stopped after {bytes} bytes, the rest was not seen: {error}",
              "读取 {bytes} 字节后停止，其余未读取：{error}";
        LineTooLong { longest: usize }
            = "1 line is longer than {longest} bytes (--max-line): the rest was not searched",
              "1 行超过 {longest} 字节 (--max-line)：其余部分未搜索";
        LinesTooLong { count: u64, longest: usize }
            = "{count} lines are longer than {longest} bytes (--max-line): the rest was not searched",
              "{count} 行超过 {longest} 字节 (--max-line)：其余部分未搜索";
        JqGaveUp
            = "once a jq filter gave a line up, whose JSON is too deep or takes too many steps: it does not count",
              "jq 过滤器有一次放弃了一行，其 JSON 嵌套过深或步骤过多：不计入";
        JqGaveUpSeveral
            = "several times a jq filter gave a line up, whose JSON is too deep or takes too many steps: it does not count",
              "jq 过滤器多次放弃一行，其 JSON 嵌套过深或步骤过多：不计入";
        TooManyGroups { most: usize, facts: usize }
            = "more than {most} groups of hits, or too much text in them, for {facts} log facts: hits beyond are not counted",
              "{facts} 个日志事实的匹配超过 {most} 组，或其文本过多：超出部分未计入";
        TooManyHits { most: usize, steps: usize }
            = "more than {most} lines, or too much text in them, for {steps} steps of sequences: lines beyond are not looked at",
              "{steps} 个序列步骤的行超过 {most} 行，或其文本过多：超出部分未处理";
        OnlyLast { facts: usize, most: usize }
            = "too many matching lines for {facts} log facts with within, boot or after_boot: only the last {most} or 8 MiB of them were weighed",
              "{facts} 个带有 within、boot 或 after_boot 的日志事实匹配行过多：只评估了最后 {most} 行或 8 MiB";
        TooManyForCopies { most: usize, facts: usize }
            = "more than {most} matching lines for {facts} log facts: copies of the first of them in other files count again",
              "{facts} 个日志事实的匹配行超过 {most} 行：其中靠前的行在其他文件中的副本会重复计入";

        // Patterns, over all logs
        PatternTooLarge { pattern: String }
            = "pattern `{pattern}` is too large to search for", "模式 `{pattern}` 过大，无法搜索";
        TooManyHitsOfPattern { most: usize, pattern: String }
            = "more than {most} lines match `{pattern}`: those beyond are not looked at",
              "匹配 `{pattern}` 的行超过 {most} 行：超出部分未处理";
        TooManyGroupsOfPattern { most: usize, pattern: String }
            = "more than {most} groups of hits of `{pattern}`: hits beyond are not counted",
              "`{pattern}` 的匹配超过 {most} 组：超出部分未计入";

        // Time zones
        UnknownZone { zone: String }
            = "time zone `{zone}` is not known, its times are read as UTC", "时区 `{zone}` 未知，其时间按 UTC 读取";
        AmbiguousZone { zone: String }
            = "the zone {zone} stands for several, so it is not known when the bundle was made: ages in tables tell no time, and logs without zone are read as UTC",
              "时区 {zone} 有多种含义，因此不知道支持包的创建时间：表格中的时长无法换算为时间，没有时区的日志按 UTC 读取";
        ZoneOfNode { node: String, offsets: ZoneOffsets }
            = "logs of node {node} name no time zone and were read as UTC, but containers on it write {offsets}: times of its logs may be wrong by that",
              "节点 {node} 的日志没有注明时区，已按 UTC 读取，但其上的容器使用 {offsets}：其日志时间可能有相应偏差";
    }
}

/// Offsets from UTC, such as `+02:00 and +05:30`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ZoneOffsets(pub Vec<String>);

impl Message for ZoneOffsets {
    fn write(&self, lang: Lang, f: &mut Formatter<'_>) -> fmt::Result {
        let and = match lang {
            Lang::En => " and ",
            Lang::Zh => " 和 ",
        };
        join(&self.0, and, lang, f)
    }

    /// Offsets name nothing.
    fn texts(&mut self, _: &mut dyn FnMut(&mut String)) {}
}
