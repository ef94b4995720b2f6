import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { loadSettings, unknownSettings, shown } from '#config/load';
import { makePassword, passwordCheck } from '#config/sign-in';
import { whole } from '#ports/area-settings';

const folders: string[] = [];
const file = (content: unknown): string => {
  const folder = mkdtempSync(join(tmpdir(), 'orrery-settings-'));
  folders.push(folder);
  const path = join(folder, 'config.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
};

after('remove them', () => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

describe('settings', () => {
  it('go from the default over the file to the environment', () => {
    const path = file({ ORRERY_PORT: 1, ORRERY_HOST: '::1' });

    const { values, sources } = loadSettings({ ORRERY_CONFIG: path, ORRERY_PORT: '2' });

    expect([values.ORRERY_PORT, values.ORRERY_HOST, values.ORRERY_DATA]).to.deep.equal([
      2,
      '::1',
      './data',
    ]);
    expect([sources.ORRERY_PORT, sources.ORRERY_HOST, sources.ORRERY_DATA]).to.deep.equal([
      'environment',
      'file',
      'default',
    ]);
  });

  it('tell every fault at once, by name and rule, and no secret', () => {
    const load = () =>
      loadSettings({
        ORRERY_PORT: 'x',
        ORRERY_BASE_URL: 'http://host/path?query',
        ORRERY_LOG_LEVEL: 'loud',
        ORRERY_STORAGE: 'mysql',
        ORRERY_ADMIN_PASSWORD: 'hidden',
      });

    expect(load).to.throw(
      /ORRERY_PORT must be a whole number.*ORRERY_BASE_URL must be.*ORRERY_LOG_LEVEL must be one of.*ORRERY_MYSQL_URL is required/,
    );
    expect(load).not.to.throw(/hidden/);
  });

  it('take a path of plain words in the address outside, and none in others', () => {
    const at = (ORRERY_BASE_URL: string) =>
      loadSettings({ ORRERY_BASE_URL }).values.ORRERY_BASE_URL;

    expect(at('https://host.example/ml/orrery/')).to.equal('https://host.example/ml/orrery');
    expect(at('https://host.example/')).to.equal('https://host.example');
    for (const wrong of ['/a b', '/a//b', '/%61', '/a#b', '/"'])
      expect(() => at(`https://host.example${wrong}`), wrong).to.throw(
        'ORRERY_BASE_URL must be http:// or https:// with a host and at most a path of plain words',
      );
    expect(() => loadSettings({ ORRERY_S3_ENDPOINT: 'https://host.example/path' })).to.throw(
      'ORRERY_S3_ENDPOINT must be http:// or https:// with a host and no path',
    );
  });

  it('ask for what a bucket cannot do without', () => {
    expect(() => loadSettings({ ORRERY_BLOB: 's3' })).to.throw(
      /ORRERY_S3_BUCKET is required when ORRERY_BLOB is s3; ORRERY_S3_ACCESS_KEY is required.*; ORRERY_S3_SECRET_KEY is required/,
    );
    expect(() => loadSettings({ ORRERY_BLOB: 'gcs' })).to.throw(
      /^ORRERY_GCS_BUCKET is required when ORRERY_BLOB is gcs$/,
    );
    expect(
      loadSettings({ ORRERY_BLOB: 'gcs', ORRERY_GCS_BUCKET: 'bucket' }).values.ORRERY_GCS_BUCKET,
    ).to.equal('bucket');
  });

  it('stop at single sign-on that is half set, contradicts itself, or would let nobody in', () => {
    const refusal = (environment: Readonly<Record<string, string>>) => {
      try {
        loadSettings(environment);
        return '';
      } catch (thrown) {
        return (thrown as Error).message;
      }
    };
    const whole = {
      ORRERY_AUTH: 'oidc',
      ORRERY_OIDC_ISSUER: 'https://id.example',
      ORRERY_OIDC_CLIENT_ID: 'orrery',
    };

    expect(refusal({ ORRERY_AUTH: 'oidc' })).to.equal(
      'ORRERY_OIDC_ISSUER is required when ORRERY_AUTH is oidc; ORRERY_OIDC_CLIENT_ID is required when ORRERY_AUTH is oidc',
    );
    expect(refusal({ ORRERY_OIDC_ISSUER: 'https://id.example' })).to.equal(
      'ORRERY_OIDC_ISSUER is set, but ORRERY_AUTH is local',
    );
    expect(refusal({ ORRERY_OIDC_CLIENT_SECRET: 'hidden' })).to.equal(
      'ORRERY_OIDC_CLIENT_SECRET is set, but ORRERY_AUTH is local',
    );
    expect(refusal({ ORRERY_LOCAL_ACCOUNTS: 'off' })).to.equal(
      'ORRERY_LOCAL_ACCOUNTS is off, but ORRERY_AUTH is local: nobody could sign in',
    );
    expect(refusal({ ...whole, ORRERY_OIDC_ISSUER: 'http://id.example' })).to.equal(
      'ORRERY_OIDC_ISSUER must be an https:// address, or http:// on this machine',
    );
    expect(refusal({ ...whole, ORRERY_OIDC_ISSUER: 'http://127.0.0.1:9000/realm' })).to.equal('');
    expect(refusal({ ...whole, ORRERY_LOCAL_ACCOUNTS: 'off' })).to.equal('');
  });

  it('take several ways of signing in, and stop at one that is half set', () => {
    const refusal = (environment: Readonly<Record<string, string>>) => {
      try {
        loadSettings(environment);
        return '';
      } catch (thrown) {
        return (thrown as Error).message;
      }
    };
    const ldap = {
      ORRERY_AUTH: 'ldap',
      ORRERY_LDAP_URL: 'ldaps://ldap.example',
      ORRERY_LDAP_SEARCH_BASE: 'ou=people,dc=example',
    };
    const byName = { ORRERY_LDAP_SEARCH_BASE: '', ORRERY_LDAP_USER_DN: 'uid={name},dc=example' };
    const proxy = { ORRERY_AUTH: 'trusted-header', ORRERY_TRUSTED_PROXIES: '10.0.0.1' };

    for (const whole of [
      ldap,
      { ...ldap, ...byName },
      { ...ldap, ORRERY_LDAP_URL: 'ldap://ldap.example:1389', ORRERY_LDAP_STARTTLS: 'on' },
      { ...ldap, ORRERY_LDAP_URL: 'ldap://127.0.0.1' },
      proxy,
      { ...proxy, ...ldap, ORRERY_AUTH: 'ldap, trusted-header,local' },
    ])
      expect(refusal(whole)).to.equal('');
    for (const [environment, sentence] of [
      [{ ORRERY_AUTH: ' ,' }, 'ORRERY_AUTH names no way of signing in'],
      [
        { ORRERY_AUTH: 'ldap', ORRERY_LDAP_SEARCH_BASE: 'x' },
        'ORRERY_LDAP_URL is required when ORRERY_AUTH is ldap',
      ],
      [
        { ORRERY_LDAP_URL: 'ldaps://ldap.example' },
        'ORRERY_LDAP_URL is set, but ORRERY_AUTH is local',
      ],
      [
        { ...ldap, ORRERY_LDAP_URL: 'ldap://ldap.example' },
        'ORRERY_LDAP_URL must be ldaps:// and a host without ORRERY_LDAP_STARTTLS, or ldap:// and a host with it or on this machine',
      ],
      [
        { ...ldap, ORRERY_LDAP_USER_DN: 'uid={name}' },
        'ORRERY_LDAP_SEARCH_BASE or ORRERY_LDAP_USER_DN is required when ORRERY_AUTH names ldap, and not both',
      ],
      [{ ...ldap, ORRERY_LDAP_FILTER: '(uid=*)' }, 'ORRERY_LDAP_FILTER must hold {name}'],
      [
        { ...ldap, ...byName, ORRERY_LDAP_USER_DN: 'uid=ann' },
        'ORRERY_LDAP_USER_DN must hold {name}',
      ],
      [
        { ...ldap, ORRERY_LDAP_BIND_DN: 'cn=reader' },
        'ORRERY_LDAP_BIND_DN and ORRERY_LDAP_BIND_PASSWORD must be set together',
      ],
      [{ ...ldap, ORRERY_LDAP_GROUPS: '[{}]' }, 'ORRERY_LDAP_GROUPS entry 1 must name a group'],
      [
        { ORRERY_AUTH: 'trusted-header' },
        'ORRERY_TRUSTED_PROXIES is required when ORRERY_AUTH is trusted-header',
      ],
      [
        { ...proxy, ORRERY_HEADER_USER: 'X Remote' },
        'ORRERY_HEADER_USER must be the name of a header',
      ],
      [
        { ...ldap, ORRERY_AUTH: 'ldap,local', ORRERY_LOCAL_ACCOUNTS: 'off' },
        'ORRERY_LOCAL_ACCOUNTS is off, but ORRERY_AUTH is ldap,local',
      ],
    ] as const)
      expect(refusal(environment)).to.equal(sentence);
  });

  it('say what is wrong with rules for groups', () => {
    const refusal = (rules: unknown) => {
      try {
        loadSettings({
          ORRERY_AUTH: 'oidc',
          ORRERY_OIDC_ISSUER: 'https://id.example',
          ORRERY_OIDC_CLIENT_ID: 'o',
          ORRERY_OIDC_GROUPS: typeof rules === 'string' ? rules : JSON.stringify(rules),
        });
        return '';
      } catch (thrown) {
        return (thrown as Error).message;
      }
    };

    expect(refusal('{')).to.equal('ORRERY_OIDC_GROUPS must be JSON');
    expect(refusal({})).to.equal('ORRERY_OIDC_GROUPS must be a JSON list');
    expect(refusal([{ admin: true }])).to.equal('ORRERY_OIDC_GROUPS entry 1 must name a group');
    expect(
      refusal([
        { group: 'a', admin: true },
        { group: 'b', workspace: 'w' },
      ]),
    ).to.equal(
      'ORRERY_OIDC_GROUPS entry 2 must give a workspace together with a role, one of admin, member, view-only',
    );
    expect(refusal([{ group: 'a', workspace: 'w', role: 'boss' }])).to.include(
      'one of admin, member, view-only',
    );
    expect(
      refusal([{ group: 'a', workspace: 'w', role: 'member', permissions: ['fly'] }]),
    ).to.equal('ORRERY_OIDC_GROUPS entry 1: permissions must be a list of invite, publish');
    expect(refusal([{ group: 'a', rolle: 'member' }])).to.equal(
      'ORRERY_OIDC_GROUPS entry 1 has rolle, which is not known',
    );
    expect(refusal([{ group: 'a' }])).to.equal('ORRERY_OIDC_GROUPS entry 1 gives nothing');
  });

  it('refuse an unknown name in the file with the nearest known one', () => {
    expect(() => loadSettings({ ORRERY_CONFIG: file({ ORRERY_PROT: 1 }) })).to.throw(
      /ORRERY_PROT in .* is not a setting; did you mean ORRERY_PORT\?/,
    );
  });

  it('leave a name that the product does not know to plugins, where one is listed', () => {
    const loaded = loadSettings({
      ORRERY_CONFIG: file({ NOTES_LIMIT: 3, ORRERY_PROT: 1, plugins: ['notes'] }),
      NOTES_LIMIT: '4',
    });

    const [wrong] = unknownSettings(loaded, ['NOTES_LIMIT']).faults;
    expect(wrong).to.match(/^ORRERY_PROT in .* is not a setting; did you mean ORRERY_PORT\?$/);
    expect(unknownSettings(loaded).faults).to.have.length(2);
    expect(loaded.more({ NOTES_LIMIT: whole(1, 'x') })).to.deep.include({
      name: 'NOTES_LIMIT',
      row: whole(1, 'x'),
      value: 4,
      source: 'environment',
    });
  });

  it('warn of an unknown name in the environment and ignore what platforms put there', () => {
    const loaded = loadSettings({
      ORRERY_PROT: '1',
      ORRERY_TEST_ALL: '1',
      ORRERY_SERVICE_HOST: 'h',
      ORRERY_PORT_4400_TCP: 'x',
      ORRERY_PORT: 'tcp://10.0.0.1:4400',
    });

    expect(unknownSettings(loaded)).to.deep.equal({
      faults: [],
      warnings: ['ORRERY_PROT in the environment is not a setting'],
    });
    expect(loaded.values.ORRERY_PORT).to.equal(4400);
  });

  it('refuse a file that is missing, no JSON, or no object', () => {
    expect(() => loadSettings({ ORRERY_CONFIG: '/nowhere/x.json' })).to.throw(/does not exist/);
    expect(() => loadSettings({ ORRERY_CONFIG: file('{') })).to.throw(/is not JSON/);
    expect(() => loadSettings({ ORRERY_CONFIG: file([]) })).to.throw(/does not hold an object/);
    expect(() => loadSettings({ ORRERY_CONFIG: tmpdir() })).to.throw(/cannot be read/);
  });

  it('refuse toggles that are no object, and members that no entry of plugins has', () => {
    const load = (content: unknown) => () => loadSettings({ ORRERY_CONFIG: file(content) });

    expect(load({ toggles: ['curves-panel'] })).to.throw(/^toggles must be an object/);
    expect(load({ plugins: [{ name: 'notes', optionl: true }] })).to.throw(
      /^plugin notes has the member optionl; did you mean optional\?$/,
    );
    expect(load({ plugins: [{ name: 'notes', trusted: 'yes' }] })).to.throw(
      /^trusted of plugin notes must be true or false$/,
    );
  });

  it('let the environment decide over a toggle in the file', () => {
    const path = file({ toggles: { 'curves-panel': false, '3d-panel': false } });

    const { toggles } = loadSettings({ ORRERY_CONFIG: path, ORRERY_TOGGLE_CURVES_PANEL: 'on' });

    expect(toggles.get('curves-panel')).to.deep.equal({
      enabled: true,
      source: 'environment',
      fixed: true,
    });
    expect(toggles.get('3d-panel')?.enabled).to.equal(false);
  });

  it('mask secrets', () => {
    const all = (environment: Readonly<Record<string, string>>) =>
      new Map(loadSettings(environment).all.map((one) => [one.name, shown(one)]));

    expect([
      all({ ORRERY_ADMIN_API_KEY: 'a-secret' }).get('ORRERY_ADMIN_API_KEY'),
      all({}).get('ORRERY_ADMIN_API_KEY'),
      all({ ORRERY_PORT: '1' }).get('ORRERY_PORT'),
    ]).to.deep.equal(['…', '', 1]);
  });

  it('tell of the settings of areas with the rest, and refuse what breaks their rules', () => {
    const { all } = loadSettings({ ORRERY_REGISTRY_APPROVALS: '2' });

    expect(all.find(({ name }) => name === 'ORRERY_REGISTRY_APPROVALS')).to.include({
      value: 2,
      source: 'environment',
    });
    expect(() => loadSettings({ ORRERY_REGISTRY_APPROVALS: '3' })).to.throw(
      'ORRERY_REGISTRY_APPROVALS must be a whole number from 1 to 2',
    );
  });
});

describe('settings of signing in', () => {
  const fault = (settings: Readonly<Record<string, string>>): string => {
    try {
      loadSettings(settings);
      return '';
    } catch (thrown) {
      return (thrown as Error).message;
    } // loading rejects with a failure
  };

  it('refuse a password of the first administrator that everybody tries, and tell nothing of it', () => {
    for (const password of [
      'password',
      'administrator',
      'changemechangeme',
      'orreryorrery',
      '123456789012',
      'admin-of-this-server',
      'short',
    ]) {
      expect(fault({ ORRERY_ADMIN_PASSWORD: password }), password)
        .to.match(/^ORRERY_ADMIN_PASSWORD: the password is not acceptable: it (must|is)/)
        .and.not.include(password === 'password' ? 'password"' : password);
    }
    expect(fault({ ORRERY_ADMIN_PASSWORD: 'Tulip-correct-horse-battery' })).to.equal('');
    expect(fault({ ORRERY_ADMIN_PASSWORD: 'correcthorsebatterystaple' })).to.include(
      'it is among the passwords that are tried first',
    );
  });

  it('refuse an API key of the first administrator that nobody could have', () => {
    for (const apiKey of ['short', 'with a space', 'with*a*star'])
      expect(fault({ ORRERY_ADMIN_API_KEY: apiKey })).to.equal(
        'ORRERY_ADMIN_API_KEY: an API key must have 8 to 200 printable characters and no star',
      );
    expect(fault({ ORRERY_ADMIN_API_KEY: 'long-enough' })).to.equal('');
  });

  it('refuse cookies that browsers would not take', () => {
    expect(fault({ JWT_SAME_SITE: 'NONE' })).to.match(
      /^JWT_SAME_SITE is NONE, which browsers take with https only/,
    );
    expect(
      fault({
        JWT_SAME_SITE: 'NONE',
        HTTPS_ENABLED: 'false',
        ORRERY_BASE_URL: 'https://orrery.example',
      }),
    ).to.match(/set HTTPS_ENABLED to true/);
    expect(fault({ JWT_SAME_SITE: 'NONE', ORRERY_BASE_URL: 'https://orrery.example' })).to.equal(
      '',
    );
    expect(fault({ HTTPS_ENABLED: 'perhaps', JWT_SAME_SITE: 'SOME' })).to.match(
      /HTTPS_ENABLED must be true or false, or empty.*JWT_SAME_SITE must be one of empty, NONE, LAX, STRICT|JWT_SAME_SITE must be/,
    );
    expect(loadSettings({ HTTPS_ENABLED: 'True' }).values.HTTPS_ENABLED).to.equal('true');
  });

  it('refuse what is half set', () => {
    const smtp = {
      ORRERY_SMTP_HOST: 'mail.example',
      ORRERY_SMTP_FROM: 'Orrery <o@orrery.example>',
    };
    expect(fault({ ...smtp, ORRERY_SMTP_USER: 'u' })).to.equal(
      'ORRERY_SMTP_PASSWORD_FILE is required when ORRERY_SMTP_USER is set',
    );
    expect(fault({ ...smtp, ORRERY_SMTP_PASSWORD_FILE: '/p' })).to.equal(
      'ORRERY_SMTP_USER is required when ORRERY_SMTP_PASSWORD_FILE is set',
    );
    expect(
      fault({ ORRERY_SMTP_FROM: 'o@orrery.example', ORRERY_SMTP_REPLY_TO: 'a@orrery.example' }),
    ).to.equal(
      'ORRERY_SMTP_HOST is required when ORRERY_SMTP_FROM is set; ORRERY_SMTP_HOST is required when ORRERY_SMTP_REPLY_TO is set',
    );
    expect(fault({ ORRERY_SESSION_IDLE_HOURS: '10', ORRERY_SESSION_MOST_HOURS: '9' })).to.equal(
      'ORRERY_SESSION_IDLE_HOURS must not be more than ORRERY_SESSION_MOST_HOURS',
    );
    expect(fault(smtp)).to.equal('');
  });

  it('make a password for the first administrator that keeps to them', () => {
    const { values } = loadSettings({ PASSWORD_MIN_LENGTH: '30' });
    for (let i = 0; i < 200; i++) {
      const password = makePassword(values, 'admin');
      expect(password.length).to.be.at.least(30);
      expect(() => {
        passwordCheck(values)(password, { name: 'admin', email: undefined });
      }).not.to.throw();
    }
  });
});
