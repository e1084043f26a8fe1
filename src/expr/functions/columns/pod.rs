//! Columns of Pods, with STATUS computed from phase, reasons and containers as in kubectl.

use crate::expr::eval::stop::{Answer, Stop};
use crate::expr::eval::value::Value;
use crate::expr::functions::columns::cell_values::{Computed, is_deleted};
use crate::expr::functions::object_view::ObjectView;

/// Computes READY, STATUS, RESTARTS, IP and READINESS GATES.
pub(super) fn computed<'a>(pod: &ObjectView<'a>) -> Computed<'a> {
    let summary = Summary::new(pod);
    let of_summary = |print: fn(&Summary) -> Value<'a>| summary.as_ref().map(print).map_err(Stop::clone);
    vec![
        ("READY", of_summary(|summary| Value::text(&format!("{}/{}", summary.ready, summary.total)))),
        ("STATUS", of_summary(|summary| Value::text(&summary.status))),
        ("RESTARTS", of_summary(|summary| Value::Int(summary.restarts))),
        ("IP", ip(pod)),
        ("READINESS GATES", gates(pod)),
    ]
}

fn ip<'a>(pod: &ObjectView<'a>) -> Answer<'a> {
    match pod.items(&["status", "podIPs"])?.first() {
        Some(first) => first.get(&["ip"]),
        None => pod.get(&["status", "podIP"]),
    }
}

fn gates<'a>(pod: &ObjectView<'a>) -> Answer<'a> {
    let gates = pod.items(&["spec", "readinessGates"])?;
    if gates.is_empty() {
        return Ok(Value::Null);
    }
    let mut open = 0;
    for gate in &gates {
        open += usize::from(pod.holds(&gate.text(&["conditionType"])?, "True")?);
    }
    Ok(Value::text(&format!("{open}/{}", gates.len())))
}

#[derive(Default)]
struct Summary {
    status: String,
    ready: usize,
    total: usize,
    restarts: i64,
    /// Restarts of sidecars: init containers that keep running.
    sidecar_restarts: i64,
}

impl Summary {
    fn new(pod: &ObjectView<'_>) -> Result<Self, Stop> {
        let mut summary = Self { total: pod.items(&["spec", "containers"])?.len(), ..Self::default() };
        summary.status = match pod.text(&["status", "reason"])? {
            reason if reason.is_empty() => pod.text(&["status", "phase"])?,
            reason => reason,
        };
        let gated = match pod.condition("PodScheduled")? {
            Some(scheduled) => scheduled.is(&["reason"], "SchedulingGated")?,
            None => false,
        };
        if gated {
            summary.status = "SchedulingGated".to_owned();
        }
        let initializing = summary.init_containers(pod)?;
        if !initializing || pod.holds("Initialized", "True")? {
            summary.containers(pod)?;
        }
        if is_deleted(pod)? {
            let finished = ["Succeeded", "Failed"].contains(&pod.text(&["status", "phase"])?.as_str());
            if pod.is(&["status", "reason"], "NodeLost")? {
                summary.status = "Unknown".to_owned();
            } else if !finished {
                summary.status = "Terminating".to_owned();
            }
        }
        Ok(summary)
    }

    /// Returns true if an init container is not done; its state is the status of the Pod then.
    fn init_containers(&mut self, pod: &ObjectView<'_>) -> Result<bool, Stop> {
        let specs = pod.items(&["spec", "initContainers"])?;
        let mut sidecars = Vec::new();
        for spec in &specs {
            if spec.is(&["restartPolicy"], "Always")? {
                sidecars.push(spec.text(&["name"])?);
            }
        }
        self.total += sidecars.len();
        for (position, container) in pod.items(&["status", "initContainerStatuses"])?.iter().enumerate() {
            let restarts = container.int_or(&["restartCount"], 0)?;
            self.restarts += restarts;
            let is_sidecar = sidecars.contains(&container.text(&["name"])?);
            if is_sidecar {
                self.sidecar_restarts += restarts;
            }
            let terminated = container.has(&["state", "terminated"])?;
            if terminated && container.int(&["state", "terminated", "exitCode"])? == Some(0) {
                continue;
            }
            if is_sidecar && matches!(container.get(&["started"])?, Value::Bool(true)) {
                self.ready += usize::from(matches!(container.get(&["ready"])?, Value::Bool(true)));
                continue;
            }
            let waiting = container.text(&["state", "waiting", "reason"])?;
            self.status = if terminated {
                format!("Init:{}", end_of(container)?)
            } else if !waiting.is_empty() && waiting != "PodInitializing" {
                format!("Init:{waiting}")
            } else {
                format!("Init:{position}/{}", specs.len())
            };
            return Ok(true);
        }
        Ok(false)
    }

    /// Takes the status from the first container that has a reason.
    fn containers(&mut self, pod: &ObjectView<'_>) -> Result<(), Stop> {
        self.restarts = self.sidecar_restarts;
        let mut runs = false;
        for container in pod.items(&["status", "containerStatuses"])?.iter().rev() {
            self.restarts += container.int_or(&["restartCount"], 0)?;
            let waiting = container.text(&["state", "waiting", "reason"])?;
            if !waiting.is_empty() {
                self.status = waiting;
            } else if container.has(&["state", "terminated"])? {
                self.status = end_of(container)?;
            } else if matches!(container.get(&["ready"])?, Value::Bool(true)) && container.has(&["state", "running"])? {
                runs = true;
                self.ready += 1;
            }
        }
        if self.status == "Completed" && runs {
            self.status = if pod.holds("Ready", "True")? { "Running" } else { "NotReady" }.to_owned();
        }
        Ok(())
    }
}

/// Returns the reason why a container ended, or its signal or exit code.
fn end_of(container: &ObjectView<'_>) -> Result<String, Stop> {
    let ended = container.at(&["state", "terminated"])?;
    let reason = ended.text(&["reason"])?;
    if !reason.is_empty() {
        return Ok(reason);
    }
    Ok(match ended.int_or(&["signal"], 0)? {
        0 => format!("ExitCode:{}", ended.int_or(&["exitCode"], 0)?),
        signal => format!("Signal:{signal}"),
    })
}
