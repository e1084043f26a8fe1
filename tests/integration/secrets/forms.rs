//! Forms of secrets, and secrets made up for them. Nothing here is a secret before it is put together at run time.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// Texts with a secret at `{}`, in base64 with a user at `{b}`, of letters and digits, of lower case, of capitals, of
/// hexadecimal digits.
const FORMS: [(&str, Alphabet, usize); 93] = [
    ("password={}", Alphabet::Word, 12),
    ("--password={} --port 80", Alphabet::Word, 12),
    ("--token {} --port 80", Alphabet::Word, 20),
    ("--etcd-s3-secret-key {}", Alphabet::Word, 40),
    ("[\"--password\", \"{}\", \"-v\"]", Alphabet::Word, 16),
    ("{\"password\":\"{}\",\"n\":1}", Alphabet::Word, 12),
    ("body {\\\"token\\\":\\\"{}\\\"}", Alphabet::Word, 24),
    ("{\"a\":\"x\\\\npassword: {}\\\\n\"}", Alphabet::Word, 14),
    ("Authorization: Bearer {}", Alphabet::Word, 40),
    ("authorization:[bearer {}]", Alphabet::Word, 40),
    ("Authorization: Basic {b}", Alphabet::Word, 14),
    ("Authorization: AWS4-HMAC-SHA256 Credential=x, Signature={}", Alphabet::Hexadecimal, 64),
    ("jwt eyJh{}.eyJ{}.{}", Alphabet::Word, 30),
    ("clone ghp_{}", Alphabet::Word, 36),
    ("clone gho_{}", Alphabet::Word, 36),
    ("clone github_pat_{}", Alphabet::Word, 60),
    ("pull dckr_pat_{}", Alphabet::Word, 27),
    ("post https://hooks.slack.com/services/T0/B0/{}", Alphabet::Word, 24),
    ("discovery.sendtargets.auth.password_in = {}", Alphabet::Word, 14),
    ("ci glpat-{}", Alphabet::Word, 20),
    ("chat xoxb-{}", Alphabet::Word, 30),
    ("id AKIA{}", Alphabet::Capital, 16),
    ("pair AKIAQWERTYUIOPASDFGH:{}", Alphabet::Word, 40),
    ("GET /b?X-Amz-Expires=60&X-Amz-Signature={}", Alphabet::Hexadecimal, 64),
    ("https://a.blob.core.windows.net/c?sv=1&sig={}%3D", Alphabet::Word, 43),
    ("Cookie: R_SESS=token-abcde:{}", Alphabet::Lower, 54),
    ("as token-x7k2p:{}", Alphabet::Lower, 54),
    ("as kubeconfig-user-abcde:{}", Alphabet::Lower, 54),
    ("Bootstrap Password: {}", Alphabet::Lower, 40),
    ("CATTLE_BOOTSTRAP_PASSWORD={}", Alphabet::Lower, 12),
    ("bootstrapPassword: {}", Alphabet::Word, 12),
    ("join K1012345678901234567890abcdef::server:{}", Alphabet::Hexadecimal, 32),
    ("join K1012345678901234567890abcdef::node:{}", Alphabet::Hexadecimal, 32),
    ("join …::agent:{}", Alphabet::Hexadecimal, 32),
    ("apply https://r.example.org/v3/import/{}_c-m-abcde.yaml", Alphabet::Lower, 54),
    ("SMTP_PASS={}", Alphabet::Word, 12),
    ("ADMIN_PWD={}", Alphabet::Word, 12),
    ("REDIS_AUTH={}", Alphabet::Word, 20),
    ("AZURE_STORAGE_KEY={}", Alphabet::Word, 64),
    ("DefaultEndpointsProtocol=https;AccountKey={}==;EndpointSuffix=x", Alphabet::Word, 86),
    ("credential: {}", Alphabet::Word, 24),
    ("wifi psk={}", Alphabet::Word, 12),
    ("\"pass\": \"{}\"", Alphabet::Word, 12),
    ("echo root:{} | chpasswd", Alphabet::Word, 12),
    ("password := \"{}\"", Alphabet::Word, 12),
    (":secret_key => '{}'", Alphabet::Word, 24),
    ("password=first1,{}", Alphabet::Word, 12),
    ("map[password:{} user:bob]", Alphabet::Word, 12),
    ("EnvVar{Name:DB_PASSWORD,Value:{},ValueFrom:nil,}", Alphabet::Word, 16),
    ("{\"name\":\"DB_PASSWORD\",\"value\":\"{}\"}", Alphabet::Word, 16),
    ("get https://bob:{}@host/x", Alphabet::Word, 12),
    ("get https://{}@git.example.org/x", Alphabet::Word, 30),
    ("dsn postgres://u:a/{}@db/x", Alphabet::Word, 12),
    ("vault hvs.{}", Alphabet::Word, 90),
    ("npm_{}", Alphabet::Word, 36),
    ("key AIza{}", Alphabet::Word, 35),
    ("root:$6$saltsalt${}:19000", Alphabet::Word, 86),
    ("<password>{}</password>", Alphabet::Word, 12),
    ("auth_pass {}", Alphabet::Word, 12),
    ("sshpass -p '{}' ssh n1", Alphabet::Word, 12),
    ("curl -k -u admin:{} https://n1", Alphabet::Word, 12),
    ("client-key-data: {}", Alphabet::Word, 64),
    ("{\"auths\":{\"r\":{\"auth\":\"{}\"}}}", Alphabet::Word, 32),
    ("registration_token: {}", Alphabet::Word, 24),
    ("AGE-SECRET-KEY-1{}", Alphabet::Capital, 58),
    ("key -----BEGIN RSA PRIVATE KEY-----\\n{}\\n-----END RSA PRIVATE KEY-----", Alphabet::Word, 64),
    ("key LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVkt{}", Alphabet::Word, 80),
    ("pull eyJhdXRocyI6{}", Alphabet::Word, 60),
    ("secret: '{}'", Alphabet::Word, 24),
    ("DB_PASSWORD_1={}", Alphabet::Word, 12),
    ("MYSQL_ROOT_PW={}", Alphabet::Word, 12),
    ("DB_PASS_PROD={}", Alphabet::Word, 12),
    ("passwordHash: {}", Alphabet::Word, 24),
    ("db.password.bak: {}", Alphabet::Word, 16),
    ("{\"value\":\"{}\",\"name\":\"DB_PASSWORD\"}", Alphabet::Word, 16),
    ("EnvVar{Value:{},Name:DB_PASSWORD,}", Alphabet::Word, 16),
    ("{\"password\":{\"value\":\"{}\"}}", Alphabet::Word, 16),
    ("密码：{}", Alphabet::Word, 12),
    ("Passwort: {}", Alphabet::Word, 12),
    ("“password：{}", Alphabet::Word, 12),
    ("root:$y$j9T$saltsalt${}:19000", Alphabet::Word, 43),
    ("bob:$2a$10${}", Alphabet::Word, 53),
    ("bob:$apr1$salt${}", Alphabet::Word, 22),
    ("$argon2id$v=19$m=65536,t=3,p=4$c2FsdA${}", Alphabet::Word, 43),
    ("clone ghu_{}", Alphabet::Word, 36),
    ("ci glrt-{}", Alphabet::Word, 20),
    ("id ASIA{}", Alphabet::Capital, 16),
    ("key sk-ant-api03-{}", Alphabet::Word, 60),
    ("chat xapp-1-A02-{}", Alphabet::Word, 30),
    ("set password to {}", Alphabet::Word, 14),
    ("ALTER USER bob WITH PASSWORD '{}'", Alphabet::Word, 14),
    ("temporary password {} generated", Alphabet::Word, 14),
    ("SUSEConnect --regcode={}", Alphabet::Word, 16),
];

/// Texts of several lines; each `{}` becomes a secret of its own.
pub const DOCUMENTS: [(&str, &str); 13] = [
    (
        "kubeconfig",
        "apiVersion: v1\nkind: Config\nusers:\n- name: a\n  user:\n    token: {}\n- name: b\n  user:\n    password: {}\n    client-key-data: {}\n",
    ),
    (
        "registries",
        "configs:\n  r.example.org:\n    auth:\n      username: bob\n      password: {}\n      identity_token: {}\n      auth: {}\n",
    ),
    (
        "cloud-init",
        "#cloud-config\npassword: {}\nchpasswd:\n  list: |\n    root:{}\n    bob:{}\n  expire: false\nssh_pwauth: true\nwrite_files:\n- path: /etc/x\n  content: |\n    API_TOKEN={}\n",
    ),
    ("network-data", "network:\n  wifis:\n    wlan0:\n      access-points:\n        home:\n          password: {}\n"),
    (
        "encryption",
        "kind: EncryptionConfiguration\nresources:\n- providers:\n  - aescbc:\n      keys:\n      - name: key1\n        secret: {}\n",
    ),
    ("arguments", "args:\n- --token\n- {}\n- --server\n- https://n1\n- \"--password\"\n- \"{}\"\n"),
    ("environment", "env:\n- name: DB_PASSWORD\n  value: {}\n- name: MODE\n  value: open\n"),
    ("block", "settings:\n  password: |\n    {}\n  token: >-\n    {}\n  mode: open\n"),
    ("manifest", "apiVersion: v1\nkind: Secret\nmetadata:\n  name: x\ndata:\n  color: {}\nstringData:\n  shape: {}\n"),
    ("key", "-----BEGIN OPENSSH PRIVATE KEY-----\n{}\n{}\n-----END OPENSSH PRIVATE KEY-----\n"),
    ("ini", "[default]\naws_access_key_id = none\naws_secret_access_key = {}\n# password: {}\n"),
    ("nested", "settings:\n  password:\n    value: {}\n  token:\n    value: \"{}\"\n    mode: open\n"),
    ("users", "passwords:\n- {}\n- {}\nmode: open\n"),
];

#[derive(Clone, Copy)]
enum Alphabet {
    Word,
    Lower,
    Capital,
    Hexadecimal,
}

impl Alphabet {
    fn letters(self) -> &'static [u8] {
        match self {
            Self::Word => b"abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789",
            Self::Lower => b"bcdfghjklmnpqrstvwxz2456789",
            Self::Capital => b"ABCDEFGHJKLMNPQRSTUVWXYZ234567",
            Self::Hexadecimal => b"0123456789abcdef",
        }
    }
}

/// Makes up secrets, the same ones in each run, and remembers them.
#[derive(Default)]
pub struct Secrets {
    pub made: Vec<String>,
    state: u64,
}

impl Secrets {
    pub fn forms() -> usize {
        FORMS.len()
    }

    /// Returns a line with a new secret in a form.
    pub fn line(&mut self, form: usize) -> String {
        let (text, alphabet, length) = FORMS[form];
        let secret = self.secret(alphabet, length);
        text.replace("{b}", &STANDARD.encode(format!("admin:{secret}"))).replace("{}", &secret)
    }

    /// Returns a text with new secrets.
    pub fn document(&mut self, text: &str) -> String {
        let mut parts = text.split("{}");
        let mut filled = parts.next().unwrap().to_owned();
        for part in parts {
            filled += &self.secret(Alphabet::Word, 24);
            filled += part;
        }
        filled
    }

    fn secret(&mut self, alphabet: Alphabet, length: usize) -> String {
        let letters = alphabet.letters();
        let mut secret: String = (0..length).map(|_| char::from(letters[self.random() % letters.len()])).collect();
        // A digit, as every generator of passwords demands.
        secret.replace_range(2..3, "7");
        self.made.push(secret.clone());
        secret
    }

    fn random(&mut self) -> usize {
        self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 33) as usize
    }

    /// Returns what must not be found: beginnings and ends of the secrets, also in base64.
    pub fn traces(&self) -> Vec<String> {
        let traces = |secret: &String| {
            let ends = [secret[..9].to_owned(), secret[secret.len() - 9..].to_owned()];
            let packed = (0..3).map(|lead| {
                let packed = STANDARD.encode([&b"...".as_slice()[..lead], secret.as_bytes()].concat());
                packed[4..packed.len().min(20) - 4].to_owned()
            });
            ends.into_iter().chain(packed).collect::<Vec<_>>()
        };
        self.made.iter().flat_map(traces).collect()
    }
}
