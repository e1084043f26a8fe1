//! Reasons why two bundles may not be comparable.

use super::{Reason, messages};

messages! {
    /// Reason why two bundles may not be an older and a newer bundle of one cluster.
    pub enum Doubt {
        OtherCluster
            = "They are from different clusters: the UID of namespace kube-system differs.",
              "它们属于不同的集群：命名空间 kube-system 的 uid 不同。";
        NoCommonNode
            = "Nothing shows that they are from one cluster: no node is in both.",
              "没有迹象表明它们属于同一集群：没有共同的节点。";
        WrongOrder
            = "The first was collected after the second: what is listed as new existed before.",
              "第一个支持包的收集时间晚于第二个：标为新增的内容其实更早。";
        UnknownOrder
            = "The time of collection is not known for both, so their order is not known.",
              "并非两者的收集时间都已知，因此无法确定哪个更早。";
        FirstNotRead { why: Reason } = "Nothing of the first was read: {why}", "未读取第一个支持包的任何内容：{why}";
        SecondNotRead { why: Reason } = "Nothing of the second was read: {why}", "未读取第二个支持包的任何内容：{why}";
    }
}
