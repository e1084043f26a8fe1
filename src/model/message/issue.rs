//! Sentences about unreadable data and undecided questions.

use super::{Reason, messages};

messages! {
    /// Sentence of an issue.
    pub enum IssueMessage {
        // Bundles
        NothingRead { why: Reason } = "objects and logs were not read: {why}", "未读取对象和日志：{why}";
        Obfuscated
            = "the collection is obfuscated (option -o): words stand in place of addresses and names of hosts, the same word for the same name in this bundle only; what needs addresses cannot be evaluated",
              "该收集结果经过混淆（选项 -o）：地址和主机名被词语取代，同一名称仅在此支持包中对应同一词语；需要地址的内容无法评估";
        Encrypted
            = "named like an archive, and none: the collector encrypts its results for SUSE, so nothing of them was read; ask for a run without encryption",
              "名称像归档，但不是归档：收集工具为 SUSE 加密其结果，因此未读取任何内容；请要求不加密运行";

        // Logs
        PatternTooLarge { pattern: String }
            = "pattern `{pattern}` is too large to search for", "模式 `{pattern}` 过大，无法搜索";
        TooManyHits { most: usize, pattern: String }
            = "more than {most} lines match `{pattern}`: those beyond are not looked at",
              "匹配 `{pattern}` 的行超过 {most} 行：超出部分未处理";
        TooManyGroups { most: usize, pattern: String }
            = "more than {most} groups of hits of `{pattern}`: hits beyond are not counted",
              "`{pattern}` 的匹配超过 {most} 组：超出部分未计入";
    }
}
