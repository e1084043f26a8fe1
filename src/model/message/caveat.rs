//! Why a finding is less certain than its rule.

use super::messages;

messages! {
    /// Sentence at the end of a finding's message.
    pub enum Caveat {
        VersionUnknown { product: String, range: String }
            = "The bundle does not show the version of {product}; this failure exists in {range}.",
              "支持包未显示 {product} 的版本；此故障存在于 {range}。";
        TimeUnknown = "The bundle does not show when it was collected; what it shows is taken to have lasted for an hour by then.",
              "支持包未显示收集时间；此处假定其中的状态在收集时已持续一小时。";
        VersionUnordered { product: String, version: String, range: String }
            = "Whether {product} {version} has this failure is not known; it exists in {range}.",
              "无法确定 {product} {version} 是否有此故障；它存在于 {range}。";
    }
}
