//! What healthy components say, by topic. `<...>` is filled in: n, s, rv (numbers), ms, hex, uuid,
//! host (of the log), node, ip, pod, vol (of the cluster), iso and go (the time).

use super::log::{Format, Topic};

/// The format of a topic's lines and the lines to choose from.
pub fn phrases(topic: Topic) -> (Format, &'static [&'static str]) {
    match topic {
        Topic::Harvester => (
            Format::Logrus,
            &[
                "\"Reconciling upgrade log for resource version <rv>\"",
                "\"Handling node <node> change, resource version <rv>, <s> devices known\"",
                "\"enqueue virtual machine <pod> of generation <s> after <ms>ms\"",
                "\"Cleaned up <s> stale watch sessions, request id <uuid>\"",
                "\"Setting server-version unchanged, checksum <hex>\"",
                "\"Updated resource quota usage in <ms>ms, <n> bytes\"",
            ],
        ),
        Topic::Webhook => (
            Format::Logrus,
            &[
                "\"admitted UPDATE of <pod> in <ms>ms, request <uuid>\"",
                "\"admitted CREATE by system:serviceaccount, resource version <rv>, request <uuid>\"",
                "\"certificate checked, serial <hex>, days left <n>\"",
            ],
        ),
        Topic::KubeVirt => (
            Format::KubeVirt,
            &[
                "\"kind\":\"VirtualMachineInstance\",\"msg\":\"domain state is Running, generation <s>\",\"name\":\"<pod>\",\"pos\":\"vm.go:<n>\",\"uid\":\"<uuid>\"",
                "\"msg\":\"reenqueuing migration policies after <ms>ms\",\"pos\":\"application.go:<n>\"",
                "\"msg\":\"synchronized node labels of <node>, resource version <rv>\",\"pos\":\"node.go:<n>\"",
                "\"msg\":\"heartbeat of <node> sent in <ms>ms\",\"pos\":\"heartbeat.go:<n>\"",
            ],
        ),
        Topic::Longhorn => (
            Format::Logrus,
            &[
                "\"Reconciled volume, resource version <rv>\" controller=longhorn-volume node=<node> volume=<vol>",
                "\"Updated disk usage to <n> MiB\" controller=longhorn-node node=<node> disk=<uuid>",
                "\"Snapshot purge finished in <ms>ms\" controller=longhorn-engine engine=<vol>-e-0 node=<node>",
                "\"Instance manager heartbeat <n>\" controller=longhorn-instance-manager instanceManager=instance-manager-<hex>",
                "\"Checked <s> orphaned replica directories\" controller=longhorn-orphan node=<node> request=<uuid>",
            ],
        ),
        Topic::InstanceManager => (
            Format::Raw,
            &[
                "[<vol>-e-0] time=\"<iso>\" level=info msg=\"Synchronized revision counter <rv>\" func=engineapi.Sync session=<uuid>",
                "[<vol>-r-0] time=\"<iso>\" level=info msg=\"Served <n> blocks in <ms>ms\" func=replica.Serve session=<uuid>",
                "[longhorn-instance-manager] time=\"<iso>\" level=info msg=\"Process manager updates: <s> processes, digest <hex>\"",
            ],
        ),
        Topic::Csi => (
            Format::Klog,
            &[
                "controller.go:<n>] resync of <vol> done, resource version <rv>",
                "leaderelection.go:<n>] lease renewed by <node> in <ms>ms",
                "csi_handler.go:<n>] attachment csi-<hex> is up to date",
            ],
        ),
        Topic::ApiServer => (
            Format::Klog,
            &[
                "trace.go:<n>] \"HTTP Trace\" audit-id:<uuid>,client:<ip>,resource:pods,verb:LIST total=<ms>ms",
                "controller.go:<n>] OpenAPI AggregationController: Processing item v1.group-<hex>",
                "alloc.go:<n>] \"allocated clusterIPs\" service=\"<pod>\" version=<rv>",
                "handler.go:<n>] Adding GroupVersion resource version <rv>, handler <hex>",
            ],
        ),
        Topic::ControllerManager => (
            Format::Klog,
            &[
                "replica_set.go:<n>] \"Finished syncing\" kind=\"ReplicaSet\" key=\"<pod>\" duration=\"<ms>ms\"",
                "garbagecollector.go:<n>] \"Processing item\" item=\"<pod>\" virtual=false uid=<uuid>",
                "node_lifecycle_controller.go:<n>] node <node> heartbeat seen, version <rv>",
            ],
        ),
        Topic::Scheduler => (
            Format::Klog,
            &[
                "schedule_one.go:<n>] \"Successfully bound pod to node\" pod=\"<pod>\" node=\"<node>\" evaluatedNodes=<s>",
                "reflector.go:<n>] Listing and watching *v1.Pod, resource version <rv>, id <uuid>",
            ],
        ),
        Topic::Etcd => (
            Format::Zap,
            &[
                "\"caller\":\"mvcc/index.go:<n>\",\"msg\":\"compact tree index\",\"revision\":<rv>",
                "\"caller\":\"mvcc/kvstore_compaction.go:<n>\",\"msg\":\"finished scheduled compaction\",\"compact-revision\":<rv>,\"took\":\"<ms>ms\",\"hash\":<n>",
                "\"caller\":\"etcdserver/server.go:<n>\",\"msg\":\"saved snapshot\",\"snapshot-index\":<rv>,\"member\":\"<hex>\"",
            ],
        ),
        Topic::CoreDns => (
            Format::Raw,
            &[
                "[INFO] 10.52.0.<s>:<n> - <n> \"A IN svc-<hex>.cluster.local. udp 52 false 512\" NOERROR qr,aa,rd 102 0.000<s>s",
                "[INFO] plugin/reload: Running configuration SHA512 = <hex><hex>",
            ],
        ),
        Topic::Canal => (
            Format::Raw,
            &[
                "<iso> [INFO][<s>] felix/summary.go <n>: Summarising <s> dataplane reconciliation loops over 1m: avg=<ms>ms",
                "<iso> [INFO][<s>] felix/endpoint_mgr.go <n>: Re-evaluated workload endpoint status ifaceName=\"cali<hex>\"",
            ],
        ),
        Topic::Nginx => (
            Format::Access,
            &[
                "\"GET /v1/harvester/kubevirt.io.virtualmachines?revision=<rv> HTTP/2.0\" 200 <n> \"-\" \"Mozilla/5.0\" <ms> 0.0<s> [<uuid>]",
                "\"GET /v1/subscribe?sockId=<s> HTTP/1.1\" 101 <n> \"-\" \"Mozilla/5.0\" <ms> [<uuid>]",
            ],
        ),
        Topic::Fleet => (
            Format::Zap,
            &[
                "\"logger\":\"bundledeployment\",\"msg\":\"Status not changed\",\"name\":\"mcc-harvester\",\"reconcileID\":\"<uuid>\",\"version\":\"<rv>\"",
                "\"logger\":\"monitor\",\"msg\":\"Listed <s> resources in <ms>ms\",\"reconcileID\":\"<uuid>\"",
                "\"logger\":\"clusterstatus\",\"msg\":\"Reported agent heartbeat <n>\",\"node\":\"<node>\"",
            ],
        ),
        Topic::Rancher => (
            Format::Logrus,
            &[
                "\"[planner] rkecluster fleet-local/local: reconciled machine custom-<hex>, plan <n>\"",
                "\"Watching metadata for management.cattle.io/v3, resource version <rv>, session <uuid>\"",
                "\"Refreshed user attributes in <ms>ms, <s> groups, request <uuid>\"",
                "\"kontainerdriver <node> stopped listening, digest <hex>\"",
            ],
        ),
        Topic::Controller => (
            Format::Klog,
            &[
                "controller.go:<n>] synced <pod> in <ms>ms, resource version <rv>",
                "shared_informer.go:<n>] caches are in step, revision <rv>, id <uuid>",
                "leaderelection.go:<n>] lease held by <node>_<uuid>",
            ],
        ),
        Topic::Helm => (
            Format::Raw,
            &[
                "+ helm_v3 upgrade --install --version <s>.<s>.<s> chart /tmp/chart-<hex>.tgz",
                "Release is up to date, revision <s>, digest <hex><hex>",
                "+ exit",
            ],
        ),
        Topic::Tiller => (
            Format::Raw,
            &[
                "[storage] <go> listing all releases with filter",
                "[tiller] <go> getting history for release billing",
                "[storage] <go> getting release history for \"billing\"",
            ],
        ),
        Topic::Application => (
            Format::Raw,
            &[
                "exported <n> rows for customer <uuid> in <ms> ms",
                "GET /reports/<hex> 200 <ms> ms - <n>",
                "cache refreshed, <n> entries, generation <rv>",
            ],
        ),
        Topic::Kernel => (
            Format::Raw,
            &[
                "mgmt-br: port <s>(cali<hex>) entered forwarding state",
                "device veth<hex> entered promiscuous mode",
                "IPv6: ADDRCONF(NETDEV_CHANGE): cali<hex>: link becomes ready",
                "sd <s>:0:0:1: [sd<s>] <n> 512-byte logical blocks: (<s> GB)",
                "scsi host<s>: iSCSI Initiator over TCP/IP, session <n>",
                "EXT4-fs (sd<s>): mounted filesystem <uuid> with ordered data mode",
                "audit: type=1400 audit(17422<n>.<s>:<n>): apparmor=\"STATUS\" operation=\"profile_load\" name=\"cri-<hex>\"",
            ],
        ),
        Topic::Rke2 => (
            Format::Logrus,
            &[
                "\"Connecting to proxy\" url=\"wss://<ip>:9345/v1-rke2/connect\" session=<uuid>",
                "\"Handling backend connection request [<node>], session <hex>\"",
                "\"Saved snapshot etcd-snapshot-<host>-<n>, <n> bytes, in <ms>ms\"",
                "\"Updated load balancer rke2-api-server-agent-load-balancer server list, version <rv>\"",
            ],
        ),
        Topic::Rancherd => (
            Format::Logrus,
            &["\"[stdout]: probe <s> succeeded in <ms>ms\"", "\"No plan changes, checksum <hex><hex>\""],
        ),
        Topic::SystemAgent => (
            Format::Logrus,
            &[
                "\"[K8s] Processing secret custom-<hex>-machine-plan in namespace fleet-local at generation <s>\"",
                "\"Probe (kubelet) passed in <ms>ms, id <uuid>\"",
            ],
        ),
        Topic::Kubelet => (
            Format::Klog,
            &[
                "kubelet.go:<n>] \"SyncLoop (PLEG): event for pod\" pod=\"<pod>\" event={\"ID\":\"<uuid>\",\"Type\":\"ContainerStarted\"}",
                "operation_generator.go:<n>] \"MountVolume.SetUp succeeded for volume\" volume=\"<vol>\" pod=\"<pod>\"",
                "pod_startup_latency_tracker.go:<n>] \"Observed pod startup duration\" pod=\"<pod>\" podStartSLOduration=<s>.<n>",
            ],
        ),
        Topic::Containerd => (
            Format::Logrus,
            &[
                "\"CreateContainer within sandbox \\\"<hex><hex>\\\" returns container id \\\"<hex><hex>\\\"\"",
                "\"StartContainer for \\\"<hex><hex>\\\" returns successfully\"",
                "\"ImageUpdate event name:\\\"sha256:<hex><hex>\\\"\"",
            ],
        ),
        Topic::Iscsid => (
            Format::Raw,
            &[
                "Connection<s>:0 to [target: iqn.2019-10.io.longhorn:<vol>, portal: 10.52.0.<s>,3260] through [iface: default] is operational now",
            ],
        ),
        Topic::Wicked => (
            Format::Raw,
            &["mgmt-br: lease acquired, transaction <hex>, renewal in <n>s", "ens<s>: link is up, carrier changes <n>"],
        ),
    }
}
