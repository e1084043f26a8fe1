//! Forms of secrets that are recognised without a key: prefixes, lengths and alphabets that their issuers publish.
//!
//! A row has the texts with which the form begins, the pattern from there (the secret is its first group, or all of it), what the
//! secret must be like, and for tests a line with a secret and a near miss. In those `{w:36}` stands for 36 letters and
//! digits, `{l:9}` for lower case and digits, `{u:9}` for upper case and digits, `{h:9}` for hexadecimal digits, so that
//! no line of this file looks like a secret.

/// What a text must be like, in addition to the pattern, to be a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Check {
    /// The pattern suffices.
    Pattern,
    /// It looks generated.
    Generated,
    /// It is Base64 of `user:password`.
    UserPassword,
    /// It is no number, path or word of state.
    NotPlain,
}

/// One form of secrets.
pub(super) struct Form {
    #[cfg_attr(not(test), expect(dead_code, reason = "tests name the row that fails"))]
    pub name: &'static str,
    /// How it begins, in three bytes or more; after `~` a beginning may stand within a word. The first four bytes are looked for,
    /// so they should be rare. Each 32 of them are a pass of their own (see `form::Finder`).
    pub begins: &'static [&'static str],
    pub pattern: &'static str,
    pub check: Check,
    #[cfg(test)]
    pub secret: &'static str,
    #[cfg(test)]
    pub near: &'static str,
}

macro_rules! forms {
    ($($name:literal, $begins:expr, $pattern:literal, $check:ident, $secret:literal, $near:literal;)+) => {
        pub(super) const FORMS: &[Form] = &[$(Form {
            name: $name,
            begins: &$begins,
            pattern: concat!("^(?:", $pattern, ")"),
            check: Check::$check,
            #[cfg(test)]
            secret: $secret,
            #[cfg(test)]
            near: $near,
        },)+];
    };
}

forms! {
    "GitHub", ["ghp_", "gho_", "ghs_", "ghu_", "ghr_"], r"gh[porsu]_[A-Za-z0-9]{30,}", Pattern,
        "clone with ghp_{w:36} now", "ghp_{w:12}";
    "GitHub, fine-grained, and Docker Hub", ["~_pat_"], r"_pat_([A-Za-z0-9_-]{22,})", Pattern,
        "github_pat_{w:22}_{w:59} dckr_pat_{w:27}", "github_pat_documented";
    "GitLab", ["glpat-", "glrt-", "gldt-", "glptt-", "glft-"], r"gl(?:pat|rt|dt|ptt|ft)-[A-Za-z0-9_.-]{20,}", Pattern,
        "user: oauth2:glpat-{w:20}", "glpat-{w:6}";
    "GitLab, tokens of programs", ["glcbt-", "glsoat-", "glimt-", "glagent-", "gloas-", "glffct-"],
        r"gl(?:cbt|soat|imt|agent|oas|ffct)-[A-Za-z0-9_.-]{20,}", Pattern, "glcbt-1_{w:20} glagent-{w:50}", "glagent-{w:6}";
    "GitLab, registration of runners", ["GR1348941"], r"GR1348941[A-Za-z0-9_-]{20,}", Pattern, "GR1348941{w:20}", "GR1348941";
    "Slack", ["xox", "xapp-"],
        r"(?:xox[abeprs]|xapp)[-.][A-Za-z0-9_.-]{10,}", Pattern,
        "posting with xoxb-{h:11}-{w:24} or xoxe.xoxp-1-{w:60}", "xoxo-kisses";
    "Hugging Face", ["hf_"], r"hf_[A-Za-z0-9]{30,}", Pattern, "hf_{w:34}", "hf_transfer_enabled";
    "SendGrid", ["SG."], r"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{32,}", Pattern, "SG.{w:22}.{w:43}", "SG.example.com";
    "NuGet", ["oy2"], r"oy2[a-z0-9]{43}", Pattern, "oy2{l:43}", "oy2{l:9}";
    "Notion", ["ntn_"], r"ntn_[A-Za-z0-9]{40,}", Pattern, "ntn_{w:46}", "ntn_x";
    "Azure, secret of an application", ["~8Q~"], r"8Q~([A-Za-z0-9_~.-]{31,34})", Pattern, "abc8Q~{w:34}", "8Q~{w:9}";
    "AWS, key and secret", ["AKIA", "ASIA"], r#"A[KS]IA[A-Z0-9]{16}\b(?:[\s"',:|/=]{1,8}[A-Za-z0-9/+]{40}\b)?"#, Pattern,
        "AKIA{u:16}:{w:40}", "AKIA{u:9}";
    "JSON Web Token", ["eyJh", "eyJ0", "eyJr"], r"eyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*){0,3}", Pattern,
        "token is eyJh{w:30}.eyJ{w:50}.{w:43}", "eyJh{w:30}";
    "registry credentials in base64", ["eyJhdXRo"], r"eyJhdXRocyI6[A-Za-z0-9+/]{8,}={0,2}", Pattern,
        "pull eyJhdXRocyI6{w:40}=", "eyJhbGciOi";
    "PKCS#8 key without its lines", ["~IBADANBgk"], r"IBADANBgkqhkiG9w0BAQEFAAS([A-Za-z0-9+/=\s]{40,})", Pattern,
        "key MIIEvQIBADANBgkqhkiG9w0BAQEFAASC{w:60}", "MIIBIjANBgkqhkiG9w0BAQEFAAOC{w:60}";
    "private key in base64", ["LS0tLS1CRUdJTi"],
        r"LS0tLS1CRUdJTi[A-Za-z0-9+/]{0,24}?(?:UFJJVkFURSBLRV|BSSVZBVEUgS0V|QUklWQVRFIEtF)[A-Za-z0-9+/]*={0,2}", Pattern,
        "key LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQ{w:80}", "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t{w:60}";
    "Rancher cluster registration", ["~v3/import/"], r"v3/import/([A-Za-z0-9]{20,})", Pattern,
        "kubectl apply -f https://rancher.example.com/v3/import/{l:54}_c-m-x7k2p.yaml", "GET /v3/import/status";
    "header Bearer", ["~arer "], r"arer\s+([A-Za-z0-9_.~+/-]{8,}=*)", Generated,
        "Authorization: Bearer {w:30}", "Bearer authentication is required";
    "header Basic", ["~asic "], r"asic\s+([A-Za-z0-9+/]{6,}={0,2})", UserPassword,
        "Authorization: Basic YWRtaW46aHVudGVyMg==", "Basic Authentication";
    "OpenAI and Anthropic", ["sk-ant-", "sk-proj-"], r"sk-(?:ant|proj)-[A-Za-z0-9_-]{20,}", Pattern,
        "key sk-ant-api03-{w:60}", "sk-antique";
    "Vault", ["hvs.", "hvb."], r"hv[sb]\.[A-Za-z0-9_-]{20,}", Pattern, "VAULT hvs.{w:90}", "hvs.example.com";
    "npm", ["npm_"], r"npm_[A-Za-z0-9]{30,}", Pattern, "npm_{w:36}", "npm_config_registry";
    "Google API", ["AIza"], r"AIza[A-Za-z0-9_-]{35}", Pattern, "?q=AIza{w:35}", "AIza{w:9}";
    "age", ["AGE-SECRET-KEY-1"], r"AGE-SECRET-KEY-1[A-Z0-9]{50,}", Pattern, "AGE-SECRET-KEY-1{u:58}", "AGE-SECRET-KEY-1{u:5}";
    "Google OAuth", ["ya29.", "GOCSPX-"], r"(?:ya29\.|GOCSPX-)[A-Za-z0-9_-]{20,}", Pattern, "ya29.{w:60}", "ya29.{w:6}";
    "Stripe", ["~_live_"], r"_live_([A-Za-z0-9]{20,})", Pattern, "sk_live_{w:24}", "is_live_migratable";
    "PyPI", ["pypi-AgE"], r"pypi-AgE[A-Za-z0-9_-]{20,}", Pattern, "pypi-AgEIcHlwaS5vcmc{w:40}", "pypi-mirror";
    "DigitalOcean", ["~_v1_"], r"_v1_([a-f0-9]{32,})", Pattern, "dor_v1_{h:64}", "dop_v1_{h:8}";
    "Databricks", ["dapi"], r"dapi[a-f0-9]{32}", Pattern, "dapi{h:32}", "dapi-server";
    "Sentry", ["sntrys_", "sntryu_"], r"sntry[su]_[A-Za-z0-9_+/=]{40,}", Pattern, "sntrys_{w:80}", "sntrys_x";
    "Tailscale", ["tskey-"], r"tskey-[a-z]+-[A-Za-z0-9-]{16,}", Pattern, "tskey-auth-{w:14}-{w:32}", "tskey-auth-x";
    "New Relic", ["NRAK-"], r"NRAK-[A-Z0-9]{27}", Pattern, "NRAK-{u:27}", "NRAK-{u:9}";
    "Pulumi", ["pul-"], r"pul-[a-f0-9]{40}", Pattern, "pul-{h:40}", "pul-up";
    "Google, refresh token", ["1//0"], r"1//0[A-Za-z0-9_-]{40,}", Pattern, "token 1//0{w:60}", "1//0";
    "Doppler", ["dp.pt.", "dp.st."], r"dp\.[ps]t\.[A-Za-z0-9._-]{40,}", Pattern, "dp.pt.{w:43}", "dp.pt.x";
    "Dynatrace", ["dt0c01.", "dt0s01."], r"dt0[cs]01\.[A-Z0-9]{24}\.[A-Z0-9]{64}", Pattern, "dt0c01.{u:24}.{u:64}", "dt0c01.{u:9}";
    "Heroku", ["HRKU-"], r"HRKU-[A-Za-z0-9_-]{36,}", Pattern, "HRKU-{w:60}", "HRKU-{w:9}";
    "Artifactory", ["AKCp", "cmVmdGtu"], r"(?:AKCp[A-Za-z0-9]{60,}|cmVmdGtu[A-Za-z0-9]{40,})", Pattern, "AKCp{w:69}", "AKCp{w:9}";
    "RubyGems", ["rubygems_"], r"rubygems_[a-f0-9]{48}", Pattern, "rubygems_{h:48}", "rubygems_mirror";
    "PlanetScale", ["pscale_"], r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_=.-]{30,}", Pattern, "pscale_tkn_{w:40}", "pscale_tkn_x";
    "Bitbucket", ["ATBB", "ATCTT3"], r"(?:ATBB[A-Za-z0-9]{28,}|ATCTT3[A-Za-z0-9_=-]{20,})", Pattern, "ATBB{w:32}", "ATBB{w:9}";
    "SonarQube", ["sqp_", "squ_", "sqa_"], r"sq[pua]_[a-f0-9]{40}", Pattern, "sqp_{h:40}", "sqp_x";
    "Groq and xAI", ["gsk_", "xai-"], r"(?:gsk_|xai-)[A-Za-z0-9]{48,}", Pattern, "gsk_{w:52}", "xai-cluster";
    "Shopify", ["shpat_"], r"shpat_[A-Fa-f0-9]{32}", Pattern, "shpat_{h:32}", "shpat_x";
    "Grafana", ["glsa_", "glc_"], r"gl(?:sa|c)_[A-Za-z0-9_+/=]{20,}", Pattern, "grafana glsa_{w:32}_1234abcd", "glsa_x";
    "Atlassian", ["ATATT3"], r"ATATT3[A-Za-z0-9_=-]{20,}", Pattern, "ATATT3xFfGF0{w:60}", "ATATT3";
    "Terraform Cloud", ["~.atlasv1."], r"\.atlasv1\.([A-Za-z0-9_-]{20,})", Pattern, "tfe.atlasv1.{w:60}", "x.atlasv1.y";
    "password of IPMI", ["ipmitool"], r#"ipmitool\b[^\n]{0,200}? -P ?['"]?([^\s'"]+)"#, Pattern,
        "ipmitool -I lanplus -H bmc1 -U admin -P {w:9} power status", "ipmitool -I lanplus -H bmc1 lan print";
    "password of MySQL", ["mysql"], r#"mysql(?:dump|admin)?\s[^\n]{0,120}? -p['"]?([^\s'"-][^\s'"]*)"#, NotPlain,
        "mysql -uroot -p{w:9} db", "mysql -uroot --protocol tcp";
    "password of Redis", ["~li -a ", "~irepass "],
        r#"(?:li -a|irepass) ['"]?([^\s'"]+)"#, NotPlain, "redis-cli -a {w:9} ping", "redis-cli -h redis ping";
    "password of LDAP", ["~earch -", "~indpw "], r#"(?:earch\s[^\n]{0,200}? -w|indpw) ['"]?([^\s'"]+)"#, Pattern,
        "ldapsearch -x -D cn=admin -w {w:9} -b dc=x", "research -when";
    "password of a registry", ["~in -u ", "~in -p "], r#"in (?:-u \S+ )?-p ['"]?([^\s'"]+)"#, NotPlain,
        "docker login -u bob -p {w:9} r.example.org", "run in -p 8080";
    "registration code of SUSE", ["~nect -"], r#"nect (?:-[^r\s]+ (?:[^\s-]\S* )?){0,4}(?:-r|--regcode)[ =]['"]?([^\s'"]+)"#, Pattern,
        "SUSEConnect -p SLES/15.5/x86_64 -r {u:14}", "Connect - refused";
    "password of a controller of a server", ["racadm "], r#"racadm\s[^\n]{0,200}? -p ['"]?([^\s'"]+)"#, Pattern,
        "racadm -r bmc1 -u root -p {w:9} getsysinfo", "racadm -r bmc1 getsysinfo -s";
    "community of SNMP", ["snmp", "rocommunity "], r#"(?:snmp[a-z]*\s[^\n]{0,200}? -c|rocommunity6?) ?['"]?([^\s'"]+)"#, Pattern,
        "snmpwalk -v2c -c {w:9} sw1", "snmpd -Lsd -Lf /dev/null";
    "password of a new user", ["~radd "], r#"radd\s[^\n]{0,200}? -p ['"]?([^\s'"]+)"#, Pattern,
        "useradd -m -p {w:9} bob", "groupadd useradd -m bob";
    "password of htpasswd", ["htpasswd -"],
        r#"htpasswd -[^\n|>;&]*b[^\n|>;&]*? ['"]?([^\s'"|>;&]+)['"]?\s*(?:\z|[\n|>;&])"#, Pattern,
        "htpasswd -nb bob {w:9} > auth", "htpasswd -n carol > auth";
    "keys of MinIO", ["~alias set "], r"alias set \S+ \S+ (\S+ \S+)", Pattern,
        "mc alias set backup http://s3:9000 {w:20} {w:40}", "mc alias set backup http://s3:9000";
    "pre-shared key", ["PSK "], r#"PSK ['"]([^\s'"]+)"#, Pattern, "n1 n2 : PSK \"{w:9}\"", "no PSK given";
    "password of SQL", ["~IED BY "], r#"IED BY ['"]([^'"]+)"#, Pattern, "IDENTIFIED BY '{w:9}'", "IDENTIFIED BY unix_socket";
    "hash of a password", ["$2y$"], r"(\$2y\$[A-Za-z0-9_./$=,]{20,})", Pattern,
        "htpasswd $2y$05${w:53}", "cost $2y$";
    "XML element", ["~ord>", "~Pass>"], r"(?:ord|Pass)>([^<\s][^<]*)</", Pattern,
        "<password>{w:9}</password>", "<password></password>";
    "XML element of a token", ["~ken>"], r"ken>([^<\s][^<]*)</", Generated,
        "<token>{w:19}</token>", "<token>none</token>";
    "password in a sentence", ["~assword ", "~ASSWORD "],
        r#"(?i:assword)\s+(?:for\s+(?:user\s+)?\S+\s+)?(?:(?:is|was|to|set|BY)(?:\s*:)?\s+){0,3}['"]?([^\s'"]+)"#, Generated,
        "ALTER USER bob WITH PASSWORD '{w:16}'", "the password of StorageClass is wrong";
    "key of a wireless network", ["~.psk "], r#"\.psk ['"]?([^\s'"]+)"#, NotPlain,
        "nmcli con mod w wifi-sec.psk {w:9}", "read home.psk none";
    "bootstrap token", ["~oken "], r#"oken ['"]?[a-z0-9]{6}\.([a-z0-9]{16})\b"#, Pattern,
        "kubeadm token {l:6}.{l:16}", "token x7k2pq.example.org";
    "user and password of curl", ["curl "], r#"curl\s[^\n]{0,200}?(?:-u|--user[ =])\s?['"]?[A-Za-z0-9_.@-]+:([^\s'"]+)"#, NotPlain,
        "curl -k -uadmin:{w:9} https://n1", "curl --user bob https://n1";
    "unseal key of Vault", ["Unseal Key "], r"Unseal Key \d+: ?(\S+)", Generated,
        "Unseal Key 1: {w:44}", "Unseal Key 1: missing";
    "token of Vault, argument", ["vault login "], r#"vault login ['"]?([^\s'"=-]+)"#, Generated,
        "vault login {w:26}", "vault login method";
    "Docker Hub, organisation", ["dckr_oat_"], r"dckr_oat_[A-Za-z0-9_-]{32}", Pattern, "dckr_oat_{w:32}", "dckr_oat_x";
    "patch of a Secret", ["patch secret "], r#"patch secret [^\n]{0,200}?\b(?:data|stringData)[\\"' ]{0,6}:\s*\{([^\n]*?)\}\}"#, Pattern,
        "kubectl patch secret x -p '{\"stringData\":{\"a\":\"{w:9}\"}}'", "kubectl patch secret x -p '{\"metadata\":{\"a\":\"b\"}}'";
    "password in the line below a sentence", ["~assword for"],
        r#"assword\s+for\s[^\n\\]{1,120}:[ \r]*(?:\n|\\n)[ \t]*['"]?([^\s'"\\]+)"#, Generated,
        "New password for default admin user (user-x7k2p):\n{l:20}", "New password for default admin user (user-x7k2p):\nis not shown";
    "configuration of daemons", ["~_pass "], r"_pass (\S+)", Pattern,
        "auth_pass {w:8}", "no auth_pass";
    "sshpass", ["sshpass -p"], r#"sshpass -p\s?['"]?([^\s'"]+)"#, Pattern, "sshpass -p '{w:9}' ssh n1", "sshpass -f file";
    "user and password of a command", ["~ -u "], r#" -u ['"]?[A-Za-z0-9_.@-]+:([^\s'"]+)"#, NotPlain,
        "curl -k -u admin:{w:9} https://n1", "docker run --user 1000:1000 -u root x";
}
