//! Problems of archives and folders: damage, limits, unsafe names, and files that are not read.

use std::fmt::{self, Formatter};

use crate::model::Lang;
use crate::model::message::{Examples, Message, messages};

messages! {
    /// Problem of an archive, a folder or one of their entries.
    pub enum ArchiveProblem {
        // Names of entries
        NotAPath { name: String, problem: NameProblem } = "`{name}`: {problem}; not read", "`{name}`：{problem}；未读取";
        Renamed { problem: NameProblem } = "{problem}", "{problem}";
        SeveralInArchive
            = "there several times in one archive; the last one is used", "在同一归档中出现多次；使用最后一个";
        Several = "there several times; the first one is used", "出现多次；使用第一个";

        // Entries that are not read
        Link = "a link; not followed", "链接；未跟随";
        LinkTo { target: String } = "a link to `{target}`; not followed", "指向 `{target}` 的链接；未跟随";
        Special = "a device, pipe or socket; not read", "设备、管道或套接字；未读取";
        Encrypted = "encrypted; not read", "已加密；未读取";
        Method { method: ZipMethod }
            = "compressed as {method}, which is not read; unpack the zip and give the folder",
              "以 {method} 压缩，不支持读取；请解压该 zip 并提供文件夹";
        TooManyEntries { most: u64 }
            = "not read: the bundle has more than {most} entries (--max-entries)",
              "未读取：支持包的条目超过 {most} 个 (--max-entries)";
        TooManyBytes { most: u64 }
            = "not read: the bundle expands to more than {most} bytes (--max-bytes)",
              "未读取：支持包解压后超过 {most} 字节 (--max-bytes)";
        TooDense { most: u64 }
            = "not read: its archive expands to more than {most} times its size (--max-ratio)",
              "未读取：其归档解压后超过自身大小的 {most} 倍 (--max-ratio)";

        // Archives inside archives
        Unsupported { format: &'static str }
            = "a {format} archive, which is not read; unpack it and give the folder",
              "{format} 归档，不支持读取；请解压并提供文件夹";
        TooDeep { format: &'static str, depth: u32 }
            = "a {format} archive below {depth} others (--max-depth); not opened",
              "位于 {depth} 层归档之下的 {format} 归档 (--max-depth)；未打开";
        NestedZipTooLarge { most: u64 }
            = "a zip of more than {most} bytes inside another archive, which is three quarters of --max-memory; unpack it and give the folder",
              "另一归档中超过 {most} 字节（--max-memory 的四分之三）的 zip；请解压并提供文件夹";
        Damaged { format: &'static str, fault: ArchiveFault } = "the {format} archive {fault}", "{format} 归档{fault}";
        Inner { problem: Box<ArchiveProblem> } = "the archive in it: {problem}", "其中的归档：{problem}";
        InArchive { archive: String, problem: Box<ArchiveProblem> } = "{archive}: {problem}", "{archive}：{problem}";

        // Folders
        FolderTooDeep { folder: String } = "folder `{folder}` is too deep; not read", "文件夹 `{folder}` 过深；未读取";
        FolderUnreadable { folder: String, error: String }
            = "folder `{folder}` cannot be read ({error})", "无法读取文件夹 `{folder}`（{error}）";
        FolderLoop { folder: String }
            = "folder `{folder}` cannot be read (loop of links)", "无法读取文件夹 `{folder}`（链接循环）";
        TooManyMembers { most: usize }
            = "more than {most} members; the rest was not read", "成员超过 {most} 个；其余未读取";

        // Tar
        TarSkipped { members: usize, skipped: u64 }
            = "the tar archive is damaged after {members} members; {skipped} bytes were passed over to what follows",
              "tar 归档在 {members} 个成员之后损坏；跳过 {skipped} 字节后继续读取";
        TarWithoutEnd = "the tar archive has no end mark: it is cut off", "tar 归档没有结束标记：已被截断";
        TarExpandsTooFar { members: usize }
            = "the tar archive expands too far (--max-bytes, --max-ratio) after {members} members; the rest was not read",
              "tar 归档在 {members} 个成员之后展开过大 (--max-bytes, --max-ratio)；其余未读取";
        TarGap { most: u64, members: usize }
            = "the tar archive has more than {most} bytes between two members after {members} members; the rest was not read",
              "tar 归档在 {members} 个成员之后，两个成员之间超过 {most} 字节；其余未读取";
        TarTwoNames { count: usize, names: Examples }
            = "{count} members of the tar archive have a damaged name, of which their header repeats the beginning; taken for {names}",
              "tar 归档有 {count} 个成员的名称已损坏，其头部重复了名称的开头；按 {names} 处理";
        TarUnreadable { members: usize, error: String }
            = "the tar archive is damaged or cut off after {members} members; the rest was not read ({error})",
              "tar 归档在 {members} 个成员之后损坏或被截断；其余未读取（{error}）";
        MemberCut { name: String }
            = "member `{name}` is cut off; what was read is used", "成员 `{name}` 被截断；使用已读取的部分";

        // Zip
        ZipRecovered { fault: ArchiveFault, recovery: Box<Recovery> }
            = "the zip archive {fault}; {recovery}", "zip 归档{fault}；{recovery}";
        ZipOverlap { count: usize }
            = "{count} entries of the zip archive overlap, as they do in a zip bomb",
              "zip 归档有 {count} 个条目重叠，与 zip 炸弹相同";
        ZipTwoNames { count: usize, names: Examples }
            = "{count} entries of the zip archive have one name in its directory and another one before their data: one of both is damaged; taken for {names}",
              "zip 归档有 {count} 个条目在目录中的名称与数据之前的名称不同：其中一个已损坏；按 {names} 处理";
        ZipNamesNotUtf8 { count: u64 }
            = "{count} names of the zip archive are said to be UTF-8 and are not; taken for code page 437",
              "zip 归档有 {count} 个名称声明为 UTF-8 但并非如此；按代码页 437 处理";

        // Reading
        CutOff = "cut off; what was read is used", "被截断；使用已读取的部分";
        Gone = "no longer there", "已不存在";
        NoPermission = "no permission to read it", "没有读取权限";
        WrongChecksum = "its checksum is wrong; what was read is used", "校验和错误；使用已读取的部分";
        DataDamaged { error: String } = "damaged ({error}); what was read is used", "已损坏（{error}）；使用已读取的部分";
        Unreadable { error: String } = "cannot be read ({error})", "无法读取（{error}）";
        NotExpanded { error: String } = "cannot be expanded ({error})", "无法解压（{error}）";
        Longer = "longer than its size says; the rest was not read", "比其声明的大小更长；其余未读取";
        Shorter { bytes: u64 }
            = "ends {bytes} bytes before its stated size; what was read is used",
              "比声明的大小少 {bytes} 字节；使用已读取的部分";
        HeaderDamaged = "its place in the archive is damaged; not read", "它在归档中的位置已损坏；未读取";
        NotFoundAgain = "cannot be found again", "再次读取时未找到";
        NotReached = "was not reached", "未读取到";
        MembersNotReached { count: usize, why: Box<ArchiveProblem> }
            = "{count} members were not reached again: {why}", "有 {count} 个成员未能再次读取到：{why}";
        Ended = "the archive ended", "归档已结束";
        NoChecksum { error: String } = "sha256 not computed: {error}", "未计算 sha256：{error}";

        // Parts of the bundle that may not be listed
        TooManyUnreadable { most: usize }
            = "more than {most} of its files were not read", "其中未读取的文件超过 {most} 个";
        TooManyDamaged { most: usize }
            = "more than {most} archives in it are damaged", "其中损坏的归档超过 {most} 个";

        // Totals of what is not reported one by one
        MoreNames { count: u64 } = "{count} more entries with unsafe names", "另有 {count} 个名称不安全的条目";
        MoreDuplicates { count: u64 }
            = "{count} more entries that are there several times", "另有 {count} 个重复出现的条目";
        KernelLinks { count: u64 }
            = "{count} links below sys/ and proc/, which lead to no file here", "sys/ 和 proc/ 下有 {count} 个链接，不指向此处的任何文件";
        MoreLinks { count: u64 } = "{count} more links, which are not followed", "另有 {count} 个链接，未跟随";
        MoreSpecial { count: u64 }
            = "{count} more devices, pipes or sockets, which are not read", "另有 {count} 个设备、管道或套接字，未读取";
        MoreEncrypted { count: u64 }
            = "{count} more encrypted entries, which are not read", "另有 {count} 个加密条目，未读取";
        MoreMethods { count: u64 }
            = "{count} more entries with an unsupported compression, which are not read",
              "另有 {count} 个使用不支持的压缩方式的条目，未读取";
        MoreRefused { count: u64 }
            = "{count} more entries beyond the limits, which are not read", "另有 {count} 个超出限制的条目，未读取";
        MoreNested { count: u64 }
            = "{count} more nested archives that are not read", "另有 {count} 个未读取的嵌套归档";
        MoreFaults { count: u64 } = "{count} more faults of containers", "另有 {count} 处容器错误";

        // Input with several bundles
        TooFewForABundle { folder: String, count: usize }
            = "the archive is damaged, and folder `{folder}` with {count} of its entries is too small for a bundle of its own",
              "归档已损坏，文件夹 `{folder}` 只有其中 {count} 个条目，不足以成为单独的支持包";
        TooManyBundles { given: String, count: usize, most: usize }
            = "`{given}` holds {count} bundles more than the {most} that are analysed; give those by themselves",
              "`{given}` 中的支持包比可分析的 {most} 个多出 {count} 个；请单独提供它们";
        FileOutside { given: String, files: Examples }
            = "1 file in `{given}` belongs to none of its bundles and was not analysed: {files}; give them by themselves",
              "`{given}` 中有 1 个文件不属于任何支持包，未分析：{files}；请单独提供";
        FilesOutside { count: usize, given: String, files: Examples }
            = "{count} files in `{given}` belong to none of its bundles and were not analysed: {files}; give them by themselves",
              "`{given}` 中有 {count} 个文件不属于任何支持包，未分析：{files}；请单独提供";
    }
}

messages! {
    /// Problem of an entry's name: what was corrected, or why no path can be made from it.
    pub enum NameProblem {
        TooLong { most: usize } = "its name is longer than {most} bytes", "名称超过 {most} 字节";
        Absolute = "its name is absolute; taken as relative", "名称是绝对路径；按相对路径处理";
        EmptyPart = "its name has an empty part; left out", "名称中有空的部分；已省略";
        ControlCharacters = "its name has control characters; replaced", "名称含有控制字符；已替换";
        Damaged { name: String } = "its name `{name}` is damaged; taken for this one", "名称 `{name}` 已损坏；按此名称处理";
        LeadsOut = "its name leads out of the bundle (`..`)", "名称指向支持包之外（`..`）";
        Empty = "it has no name", "没有名称";
    }
}

messages! {
    /// Compression method of a zip entry.
    pub enum ZipMethod {
        Named { name: &'static str } = "{name}", "{name}";
        Numbered { number: u16 } = "method {number}", "方式 {number}";
    }
}

messages! {
    /// Fault of an archive; the text follows its name.
    pub enum ArchiveFault {
        Split
            = "is one part of a split archive: join all parts (`zip -s 0 first.zip --out whole.zip`) and give that",
              "是分卷归档的一部分：请合并所有部分 (`zip -s 0 first.zip --out whole.zip`) 后提供";
        NoDirectory = "is cut off: the directory at its end is missing or damaged", "被截断：末尾的目录缺失或损坏";
        DirectoryDamaged { entries: usize }
            = "has a directory that is damaged after {entries} entries", "的目录在 {entries} 个条目之后损坏";
        DirectoryIncomplete = "has entries that its directory does not list", "有目录中未列出的条目";
        DirectoryTooShort { entries: usize }
            = "has more entries than the {entries} that its end record counts", "的条目多于结束记录所计的 {entries} 个";
        ImpossibleEntries { entries: usize }
            = "has a directory in which {entries} entries are damaged", "的目录中有 {entries} 个条目损坏";
        NothingLeft { fault: Box<ArchiveFault> }
            = "{fault}, and no entry is left of it that can be read", "{fault}，且没有可读取的条目";
        Unreadable { error: String } = "cannot be read ({error})", "无法读取（{error}）";
        NotExpanded { error: String } = "cannot be expanded ({error})", "无法解压（{error}）";
        ReadFailed { error: String } = "{error}", "{error}";
    }
}

messages! {
    /// Reason why the search for entries ended early.
    pub enum RecoveryEnd {
        TooManyMembers { most: usize }
            = "more than {most} members; the rest was not read", "成员超过 {most} 个；其余未读取";
        TooDamaged = "it is too damaged to look for more", "损坏过于严重，无法继续查找";
        ExpandsTooFar = "it expands too far (--max-bytes, --max-ratio)", "展开过大 (--max-bytes, --max-ratio)";
    }
}

/// Entries of a damaged zip that were read from their own headers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recovery {
    pub entries: usize,
    /// True if others were listed in the directory.
    pub more: bool,
    /// Number of entries of which only a part was read.
    pub partly: usize,
    /// Some of these.
    pub examples: Examples,
    /// Bytes between entries.
    pub lost: u64,
    pub end: Option<RecoveryEnd>,
}

impl Message for Recovery {
    fn write(&self, lang: Lang, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { entries, more, partly, examples, lost, end } = self;
        let examples = examples.in_language(lang);
        match (lang, more) {
            (Lang::En, false) => write!(f, "{entries} entries were read from their own headers")?,
            (Lang::En, true) => write!(f, "{entries} more entries were read from their own headers")?,
            (Lang::Zh, false) => write!(f, "从条目自身的头部读取了 {entries} 个条目")?,
            (Lang::Zh, true) => write!(f, "另从条目自身的头部读取了 {entries} 个条目")?,
        }
        match (lang, partly) {
            (_, 0) => {}
            (Lang::En, _) => write!(f, ", {partly} of them only in part: {examples}")?,
            (Lang::Zh, _) => write!(f, "，其中 {partly} 个只读取了一部分：{examples}")?,
        }
        match (lang, lost) {
            (_, 0) => {}
            (Lang::En, _) => write!(f, "; {lost} bytes between entries are lost")?,
            (Lang::Zh, _) => write!(f, "；条目之间有 {lost} 字节丢失")?,
        }
        match (lang, end.as_ref().map(|end| end.in_language(lang))) {
            (_, None) => Ok(()),
            (Lang::En, Some(why)) => write!(f, "; the rest was not read: {why}"),
            (Lang::Zh, Some(why)) => write!(f, "；其余未读取：{why}"),
        }
    }

    fn texts(&mut self, change: &mut dyn FnMut(&mut String)) {
        let Self { entries: _, more: _, partly: _, examples, lost: _, end } = self;
        examples.texts(change);
        end.iter_mut().for_each(|end| end.texts(change));
    }
}
