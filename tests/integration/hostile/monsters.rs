//! Malicious bundles, built in code: small for tests, full for `benches/hostile.sh`.

use std::io::{Cursor, Write};

use zip::write::{SimpleFileOptions, ZipWriter};
use zip::{CompressionMethod, DateTime};

/// A bundle with its expected result.
pub struct Monster {
    pub name: &'static str,
    pub what: &'static str,
    /// Exit code of `analyze`.
    pub code: i32,
    /// Each is in an issue (`entry: message`), or in the error if the code is not 0.
    pub told: &'static [&'static str],
    /// The file; with `true` in full size.
    pub make: fn(bool) -> Vec<u8>,
}

const METADATA: &[u8] = b"bundlecreatedat: \"2024-05-06T07:08:09Z\"\n";
const NODES: &[u8] = b"apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Node\n  metadata:\n    name: n1\nkind: List\n";
const NODES_PATH: &str = "b/yamls/cluster/v1/nodes.yaml";
const CONFIGMAPS: &str = "b/yamls/namespaced/demo/v1/configmaps.yaml";
const LOG: &str = "b/logs/demo/web-0/app.log";

/// All of them.
pub const ALL: &[Monster] = &[
    Monster {
        name: "letters",
        what: "a log of 600 MB of one letter in a small zip",
        code: 0,
        told: &["logs/demo/web-0/app.log: not read: its archive expands to more than 200 times"],
        make: |full| zipped(|zip| repeated(zip, LOG, b'a', if full { 600 << 20 } else { 40 << 20 })),
    },
    Monster {
        name: "line-in-a-log",
        what: "a log of one line of 80 MB",
        code: 0,
        told: &["logs/demo/web-0/app.log: 1 line is longer than 1048576 bytes (--max-line)"],
        make: |full| {
            stored(|zip| {
                file(zip, LOG, b"2024-05-06T07:08:09Z panic: ");
                add(zip, &long_line(full));
            })
        },
    },
    Monster {
        name: "line-in-yaml",
        what: "a YAML scalar of 80 MB in one line",
        code: 0,
        told: &[],
        make: |full| {
            stored(|zip| {
                file(zip, CONFIGMAPS, b"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  a: \"");
                add(zip, &long_line(full));
                add(zip, b"\"\n");
            })
        },
    },
    Monster {
        name: "line-in-json",
        what: "a JSON string of 80 MB",
        code: 0,
        told: &[],
        make: |full| {
            stored(|zip| {
                file(
                    zip,
                    CONFIGMAPS,
                    b"{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\"},\"data\":{\"a\":\"",
                );
                add(zip, &long_line(full));
                add(zip, b"\"}}\n");
            })
        },
    },
    Monster {
        name: "block-nesting",
        what: "4,000 levels of YAML blocks",
        code: 0,
        told: &["yamls/namespaced/demo/v1/configmaps.yaml: "],
        make: |_| {
            let lines: Vec<u8> = (0..4000).flat_map(|n| [vec![b' '; n], b"a:\n".to_vec()].concat()).collect();
            zipped(|zip| file(zip, CONFIGMAPS, &lines))
        },
    },
    Monster {
        name: "brackets-in-yaml",
        what: "200,000 open brackets in YAML",
        code: 0,
        told: &["yamls/namespaced/demo/v1/configmaps.yaml: "],
        make: |_| zipped(|zip| file(zip, CONFIGMAPS, &[b"items: ".as_slice(), &vec![b'['; 200_000]].concat())),
    },
    Monster {
        name: "brackets-in-json",
        what: "200,000 open brackets in JSON",
        code: 0,
        told: &["yamls/namespaced/demo/v1/configmaps.yaml: "],
        make: |_| zipped(|zip| file(zip, CONFIGMAPS, &[b"{\"items\":".as_slice(), &vec![b'['; 200_000]].concat())),
    },
    Monster {
        name: "alias-bomb",
        what: "YAML aliases of aliases, 9^9 nodes",
        code: 0,
        told: &["yamls/namespaced/demo/v1/configmaps.yaml: "],
        make: |_| {
            let level = |n: u32| format!("a{n}: &a{n} [{}]\n", vec![format!("*a{}", n - 1); 9].join(","));
            let text: String = (1..10).map(level).collect();
            zipped(|zip| file(zip, CONFIGMAPS, format!("a0: &a0 [x,x,x,x,x,x,x,x,x]\n{text}").as_bytes()))
        },
    },
    Monster {
        name: "list",
        what: "a YAML list of a million items",
        code: 0,
        told: &[],
        make: |full| {
            let items = b"  - x\n".repeat(if full { 1_000_000 } else { 50_000 });
            let head = b"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  a:\n".as_slice();
            stored(|zip| file(zip, CONFIGMAPS, &[head, &items].concat()))
        },
    },
    Monster {
        name: "keys",
        what: "YAML keys of 4 MB",
        code: 0,
        told: &[],
        make: |full| {
            let key = noise(if full { 4 << 20 } else { 1 << 20 });
            let head = b"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  ".as_slice();
            stored(|zip| file(zip, CONFIGMAPS, &[head, &key, b": 1\n  ", &key[1..], b": 2\n"].concat()))
        },
    },
    Monster {
        name: "spaces",
        what: "a dump of 1 GiB of spaces beside 8 MB of noise",
        code: 0,
        told: &[],
        make: |full| {
            zipped(|zip| {
                file(zip, "b/noise.bin", &noise(if full { 8 << 20 } else { 1 << 20 }));
                repeated(zip, CONFIGMAPS, b' ', if full { 1 << 30 } else { 32 << 20 });
            })
        },
    },
    Monster {
        name: "nested-zips",
        what: "12 zips inside each other",
        code: 0,
        told: &["(--max-depth); not opened"],
        make: |_| {
            let inner = (0..11).fold(b"x".to_vec(), |inner, n| {
                let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
                file(&mut zip, if n == 0 { "deep.log" } else { "inner.zip" }, &inner);
                file(&mut zip, "beside.log", b"y\n");
                zip.finish().unwrap().into_inner()
            });
            zipped(|zip| file(zip, "b/nodes/n1.zip", &inner))
        },
    },
    Monster {
        name: "empty-entries",
        what: "60,000 empty entries",
        code: 0,
        told: &[],
        make: |full| {
            stored(|zip| {
                for n in 0..if full { 60_000 } else { 10_000 } {
                    file(zip, &format!("b/logs/demo/web-{n}/app.log"), b"");
                }
            })
        },
    },
    Monster {
        name: "entries",
        what: "1,000,000 empty dumps and logs",
        code: 0,
        told: &[],
        make: |full| {
            stored(|zip| {
                for n in 0..if full { 500_000 } else { 5_000 } {
                    file(zip, &format!("b/logs/demo/web-{n}/app.log"), b"");
                    file(zip, &format!("b/yamls/namespaced/demo-{n}/v1/configmaps.yaml"), b"");
                }
            })
        },
    },
    Monster {
        name: "pods",
        what: "a dump of 500 MB of pods",
        code: 0,
        told: &[],
        make: |full| zipped(|zip| pods(zip, "b/yamls/namespaced/demo/v1/pods.yaml", if full { 500 } else { 2 })),
    },
    Monster {
        name: "many-pods",
        what: "20 dumps of 30 MB of pods",
        code: 0,
        told: &[],
        make: |full| {
            zipped(|zip| {
                for n in 0..20 {
                    pods(zip, &format!("b/yamls/namespaced/demo-{n}/v1/pods.yaml"), if full { 30 } else { 1 });
                }
            })
        },
    },
    Monster {
        name: "objects",
        what: "a dump of 200 MB of objects that are nothing but names",
        code: 0,
        told: &[],
        make: |full| {
            zipped(|zip| {
                file(zip, CONFIGMAPS, b"");
                for n in 0..if full { 5_000_000 } else { 10_000 } {
                    add(zip, format!("- {{kind: ConfigMap, metadata: {{name: a{n}}}}}\n").as_bytes());
                }
            })
        },
    },
    Monster {
        name: "values",
        what: "a dump of 100 MB of nothing but empty lists",
        code: 0,
        told: &[],
        make: |full| {
            let list = b"[],".repeat(if full { 35 << 20 } else { 1 << 19 });
            let head = b"{\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\"},\"data\":[".as_slice();
            stored(|zip| file(zip, CONFIGMAPS, &[head, &list, b"[]]}"].concat()))
        },
    },
    Monster {
        name: "zip-inside",
        what: "a zip of 500 MB inside",
        code: 0,
        told: &[],
        make: |full| {
            let size = if full { 500 << 20 } else { 20 << 20 };
            let mut inner = ZipWriter::new(Cursor::new(Vec::new()));
            METHOD.set(CompressionMethod::Stored);
            file(&mut inner, "n1/logs/kernel.log", &long_line(true).repeat(size / (80 << 20)));
            let inner = inner.finish().unwrap().into_inner();
            stored(|zip| file(zip, "b/nodes/n1.zip", &inner))
        },
    },
    Monster {
        name: "overlap",
        what: "a zip bomb: 10,000 directory entries for the same 16 MiB of zeros",
        code: 0,
        told: &["entries of the zip archive overlap, as they do in a zip bomb", "(--max-ratio)"],
        make: |full| overlapping(if full { 10_000 } else { 100 }),
    },
    Monster {
        name: "gzip-bomb",
        what: "a tar.gz of 4 GB of zeros",
        code: 0,
        told: &["expands too far (--max-bytes, --max-ratio)"],
        make: |full| {
            let size = if full { 4u64 << 30 } else { 48 << 20 };
            let gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
            let mut archive = tar::Builder::new(gzip);
            member(&mut archive, NODES_PATH, NODES);
            let mut header = tar::Header::new_gnu();
            header.set_size(size);
            archive.append_data(&mut header, LOG, std::io::Read::take(std::io::repeat(0), size)).unwrap();
            archive.into_inner().unwrap().finish().unwrap()
        },
    },
    Monster {
        name: "xz-window",
        what: "an xz file inside that asks for a window of 2 GiB",
        code: 0,
        told: &["nodes/a.txz: the xz archive cannot be expanded"],
        make: |_| {
            let sum = |bytes: &[u8]| crc32fast::hash(bytes).to_le_bytes();
            let (flags, block) = ([0, 1], [2, 0, 0x21, 1, 38, 0, 0, 0]);
            let xz = [b"\xfd7zXZ\0", &flags[..], &sum(&flags), &block, &sum(&block), &[0; 64]].concat();
            zipped(|zip| file(zip, "b/nodes/a.txz", &xz))
        },
    },
    Monster {
        name: "zstd-window",
        what: "a zstd file inside that asks for a window of 2 GiB",
        code: 0,
        told: &["nodes/a.zst: the zstd archive cannot be expanded"],
        make: |_| zipped(|zip| file(zip, "b/nodes/a.zst", &[0x28, 0xb5, 0x2f, 0xfd, 0, (31 - 10) << 3, 1, 0, 0])),
    },
    Monster {
        name: "tar-claims",
        what: "a tar header that claims 8 EiB",
        code: 0,
        told: &["not read: the bundle expands to more than", "the tar archive is damaged or cut off after 2 members"],
        make: |_| {
            let mut archive = tar::Builder::new(Vec::new());
            member(&mut archive, NODES_PATH, NODES);
            let mut header = tar::Header::new_gnu();
            header.set_path(LOG).unwrap();
            header.set_size(i64::MAX as u64 - 1024);
            header.set_cksum();
            [archive.get_ref().as_slice(), header.as_bytes(), &[b'x'; 2000]].concat()
        },
    },
    Monster {
        name: "zip-claims",
        what: "a zip whose end claims 2^32 entries",
        code: 0,
        told: &[],
        make: |_| {
            let whole = zipped(|_| {});
            let start = whole.len() as u64;
            let mut long =
                [b"PK\x06\x06".as_slice(), &44u64.to_le_bytes(), &[45, 0, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0]].concat();
            long.extend([1u64 << 32, 1 << 32, 1 << 40, 0].iter().flat_map(|value| value.to_le_bytes()));
            let locator = [b"PK\x06\x07\0\0\0\0".as_slice(), &start.to_le_bytes(), &[1, 0, 0, 0]].concat();
            [whole, long, locator, b"PK\x05\x06\0\0\0\0".to_vec(), vec![0xff; 12], vec![0; 2]].concat()
        },
    },
    Monster {
        name: "headers",
        what: "a cut zip of nothing but damaged headers",
        code: 0,
        told: &["the zip archive is cut off"],
        make: |full| {
            let whole = zipped(|_| {});
            let directory = whole.windows(4).position(|window| window == b"PK\x01\x02").unwrap();
            let header = [b"PK\x03\x04\x14\0\x08\0\x08\0".as_slice(), &[0; 16], &[1, 0, 0, 0], b"x"].concat();
            [&whole[..directory], &header.repeat(if full { 3_000_000 } else { 20_000 })].concat()
        },
    },
    Monster {
        name: "names",
        what: "names that lead out, absolute ones, backslashes, control and escape characters, markup",
        code: 0,
        told: &[
            "its name leads out of the bundle",
            "its name is absolute; taken as relative",
            "its name has control characters",
        ],
        make: |_| {
            zipped(|zip| {
                for name in [
                    "b/../../../etc/passwd",
                    "/etc/shadow.log",
                    "b\\..\\..\\boot.ini",
                    "b/logs/\u{1b}[2Jdemo/web-0/a.log",
                    "b/logs/<script>alert(1)</script>/{{ 7*7 }}/=cmd.log",
                ] {
                    file(zip, name, b"x\n");
                }
            })
        },
    },
    Monster {
        name: "special-files",
        what: "a tar of devices, pipes, links and a name that leads out",
        code: 0,
        told: &["a device, pipe or socket; not read", "a link to `/etc/passwd`", "its name leads out of the bundle"],
        make: |_| {
            let mut archive = tar::Builder::new(Vec::new());
            member(&mut archive, NODES_PATH, NODES);
            for (kind, name) in [
                (tar::EntryType::Char, "b/logs/demo/web-0/char.log"),
                (tar::EntryType::Block, "b/logs/demo/web-0/block.log"),
                (tar::EntryType::Fifo, "b/logs/demo/web-0/fifo.log"),
                (tar::EntryType::Symlink, "b/logs/demo/web-0/symlink.log"),
                (tar::EntryType::Link, "b/logs/demo/web-0/hard.log"),
                (tar::EntryType::Regular, "b/../../out.log"),
            ] {
                let mut header = tar::Header::new_gnu();
                header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
                header.set_entry_type(kind);
                header.set_link_name("/etc/passwd").unwrap();
                header.set_size(0);
                header.set_cksum();
                archive.append(&header, std::io::empty()).unwrap();
            }
            archive.into_inner().unwrap()
        },
    },
    Monster {
        name: "texts",
        what: "UTF-16 with and without NULs, lone CR, CRLF, escapes and invalid UTF-8 in dumps and logs",
        code: 0,
        told: &[],
        make: |_| {
            let utf16 = |text: &str, big: bool| -> Vec<u8> {
                let units = std::iter::once(0xfeff).chain(text.encode_utf16());
                units.flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect()
            };
            let dump = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: \"b\"}\n";
            zipped(|zip| {
                file(zip, "b/yamls/namespaced/le/v1/configmaps.yaml", &utf16(dump, false));
                file(zip, "b/yamls/namespaced/be/v1/configmaps.yaml", &utf16(dump, true));
                file(zip, "b/yamls/namespaced/bad/v1/configmaps.yaml", b"metadata: {name: \"\xff\xfe\x80\"}\x00\r\n");
                file(zip, "b/yamls/namespaced/cr/v1/configmaps.yaml", dump.replace('\n', "\r").as_bytes());
                file(zip, "b/logs/demo/web-0/a.log", b"one\rtwo\r\n\x1b[31mred\x1b[0m \xc3\x28\0\0\0\n\xff");
                file(zip, "b/logs/demo/web-0/b.log", &utf16("2024-05-06T07:08:09Z wide\n", false));
            })
        },
    },
    Monster {
        name: "extensions",
        what: "a zip named .yaml, a picture named .log, text named .zip",
        code: 0,
        told: &["configmaps.yaml: "],
        make: |_| {
            let inner = zipped(|_| {});
            zipped(|zip| {
                file(zip, CONFIGMAPS, &inner);
                file(zip, LOG, &[b"\x89PNG\r\n\x1a\n".as_slice(), &noise(5000)].concat());
                file(zip, "b/nodes/n1.zip", b"this is no zip\n");
                file(zip, "b/nodes/n2.tar.gz", b"this is no tar\n");
            })
        },
    },
    Monster {
        name: "damage",
        what: "a zip cut in the middle of an entry",
        code: 0,
        told: &["2 entries were read from their own headers", "1 of them only in part: `b/logs/demo/web-0/app.log`"],
        make: |_| {
            let whole = zipped(|zip| file(zip, LOG, &noise(50_000)));
            let log = whole.windows(LOG.len()).position(|window| window == LOG.as_bytes()).unwrap();
            let nodes = whole.windows(NODES_PATH.len()).position(|window| window == NODES_PATH.as_bytes()).unwrap();
            whole[nodes - 30..log + 20_000].to_vec()
        },
    },
    Monster {
        name: "no-files",
        what: "a zip without entries",
        code: 3,
        told: &["it has no files at all"],
        make: |_| ZipWriter::new(Cursor::new(Vec::new())).finish().unwrap().into_inner(),
    },
    Monster {
        name: "no-members",
        what: "a tar of nothing but its end",
        code: 3,
        told: &["nothing but zero bytes"],
        make: |_| vec![0; 10_240],
    },
    Monster {
        name: "zero-bytes",
        what: "a zip of files without content",
        code: 0,
        told: &[],
        make: |_| {
            zipped(|zip| {
                file(zip, CONFIGMAPS, b"");
                file(zip, LOG, b"");
                file(zip, "b/nodes/n1.zip", b"");
            })
        },
    },
    Monster {
        name: "encrypted",
        what: "a zip of which everything is encrypted",
        code: 3,
        told: &["encrypted"],
        make: |_| {
            let mut bytes = zipped(|_| {});
            let records: Vec<usize> =
                (0..bytes.len() - 4).filter(|&at| bytes[at..].starts_with(b"PK\x01\x02")).collect();
            records.into_iter().for_each(|at| bytes[at + 8] |= 1);
            bytes
        },
    },
];

type Zip = ZipWriter<Cursor<Vec<u8>>>;

fn options(method: CompressionMethod) -> SimpleFileOptions {
    SimpleFileOptions::default().compression_method(method).last_modified_time(DateTime::default())
}

/// A bundle of one node with more in it, stored where `stored` is asked for.
fn with(method: CompressionMethod, more: impl FnOnce(&mut Zip)) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in [("b/metadata.yaml", METADATA), (NODES_PATH, NODES)] {
        zip.start_file(name, options(CompressionMethod::Stored)).unwrap();
        zip.write_all(bytes).unwrap();
    }
    METHOD.set(method);
    more(&mut zip);
    zip.finish().unwrap().into_inner()
}

thread_local! {
    /// Compression that `file` uses; each monster is made on one thread.
    static METHOD: std::cell::Cell<CompressionMethod> = const { std::cell::Cell::new(CompressionMethod::Deflated) };
}

fn zipped(more: impl FnOnce(&mut Zip)) -> Vec<u8> {
    with(CompressionMethod::Deflated, more)
}

fn stored(more: impl FnOnce(&mut Zip)) -> Vec<u8> {
    with(CompressionMethod::Stored, more)
}

fn file(zip: &mut Zip, name: &str, bytes: &[u8]) {
    zip.start_file(name, options(METHOD.get())).unwrap();
    zip.write_all(bytes).unwrap();
}

fn add(zip: &mut Zip, bytes: &[u8]) {
    zip.write_all(bytes).unwrap();
}

fn repeated(zip: &mut Zip, name: &str, byte: u8, size: usize) {
    file(zip, name, b"");
    let chunk = vec![byte; 1 << 20];
    (0..size >> 20).for_each(|_| add(zip, &chunk));
}

/// Makes a dump of that many megabytes of pods with different names.
fn pods(zip: &mut Zip, name: &str, megabytes: usize) {
    const REST: &str = "    namespace: demo\n    labels:\n      app: web\n  spec:\n    nodeName: n1\n    containers:\n    \
                        - name: app\n      image: registry.example.com/web:1.2.3\n      resources:\n        limits:\n          \
                        memory: 128Mi\n  status:\n    phase: Running\n    podIP: 10.0.0.1\n    conditions:\n    \
                        - type: Ready\n      status: \"True\"\n";
    file(zip, name, b"apiVersion: v1\nkind: PodList\nitems:\n");
    let noise = noise(1 << 20);
    for n in 0..(megabytes << 20) / 400 {
        let at = n * 31 % (noise.len() - 20);
        let name = String::from_utf8_lossy(&noise[at..at + 20]);
        add(zip, format!("- kind: Pod\n  metadata:\n    name: {name}-{n}\n    uid: {name}{n}\n{REST}").as_bytes());
    }
}

/// More letters without a line break than any limit for a line.
fn long_line(full: bool) -> Vec<u8> {
    noise(if full { 80 << 20 } else { 4 << 20 })
}

/// Letters without order.
fn noise(size: usize) -> Vec<u8> {
    let mut state = 1u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        b'a' + ((state >> 16) % 26) as u8
    };
    (0..size).map(|_| next()).collect()
}

fn member<W: Write>(archive: &mut tar::Builder<W>, name: &str, bytes: &[u8]) {
    let mut header = tar::Header::new_gnu();
    header.set_size(bytes.len() as u64);
    archive.append_data(&mut header, name, bytes).unwrap();
}

/// A zip whose directory names the last entry again and again.
fn overlapping(times: usize) -> Vec<u8> {
    let whole = zipped(|zip| repeated(zip, "b/logs/demo/web-0/0000.log", 0, 16 << 20));
    let last = (0..whole.len() - 4).rfind(|&at| whole[at..].starts_with(b"PK\x01\x02")).unwrap();
    let end = whole.len() - 22;
    let record = &whole[last..end];
    let mut bytes = whole[..end].to_vec();
    for n in 1..times {
        let at = bytes.len() + 46 + "b/logs/demo/web-0/".len();
        bytes.extend(record);
        bytes[at..at + 4].copy_from_slice(format!("{n:04}").as_bytes());
    }
    let start = u32::from_le_bytes(whole[end + 16..end + 20].try_into().unwrap());
    let count = (times + 2) as u16;
    let mut tail = whole[end..].to_vec();
    tail[8..10].copy_from_slice(&count.to_le_bytes());
    tail[10..12].copy_from_slice(&count.to_le_bytes());
    tail[12..16].copy_from_slice(&(bytes.len() as u32 - start).to_le_bytes());
    bytes.extend(tail);
    bytes
}
