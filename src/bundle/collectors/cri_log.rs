//! Container logs at the paths of the kubelet and the container runtime.

use crate::bundle::collectors::role::Role;

/// Returns the role of a kubelet file: `NAMESPACE_POD_UID/CONTAINER/RESTARTS.log`. The current file can only be
/// determined among all of them, and all belong to one stream.
pub(super) fn of_kubelet(pod: &str, container: &str, file: &str) -> Option<Role> {
    let mut parts = pod.split('_');
    let (namespace, pod) = (parts.next()?, parts.next()?);
    file.contains(".log").then(|| Role::pod_log(namespace, pod, container, false))
}

/// Parses a link in `/var/log/containers`: `POD_NAMESPACE_CONTAINER-ID.log`, passed without `.log`. Returns namespace,
/// pod, container and id.
pub(super) fn link(stem: &str) -> Option<(&str, &str, &str, &str)> {
    let [pod, namespace, container] = stem.split('_').collect::<Vec<_>>().try_into().ok()?;
    let (container, id) = container.rsplit_once('-')?;
    Some((namespace, pod, container, id))
}

/// Returns the role of a container that Docker runs for the kubelet: `k8s_CONTAINER_POD_NAMESPACE_UID_ATTEMPT`.
pub(super) fn of_docker(file: &str) -> Option<Role> {
    let mut parts = file.strip_prefix("k8s_")?.split('_');
    let (container, pod, namespace) = (parts.next()?, parts.next()?, parts.next()?);
    Some(Role::pod_log(namespace, pod, container, false))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_name_pod_and_container() {
        let log = Role::pod_log("shop", "web-0", "nginx", false);
        assert_eq!(of_kubelet("shop_web-0_a1b2", "nginx", "3.log"), Some(log.clone()));
        assert_eq!(of_kubelet("shop_web-0_a1b2", "nginx", "notes.txt"), None);
        assert_eq!(of_docker("k8s_nginx_web-0_shop_a1b2_0"), Some(log));
        assert_eq!(of_docker("etcd"), None);
        assert_eq!(link("web-0_shop_nginx-0a1b"), Some(("shop", "web-0", "nginx", "0a1b")));
        assert_eq!(link("web-0_shop"), None);
    }
}
