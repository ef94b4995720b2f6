// Fetches MySQL 9 with the libraries it needs from Debian's unstable branch into the cache. The system's own packages stay as they are.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder, findProgram, NotInstalled, runHere } from './launch.js';

const wanted = 'mysql-server-core';
/** Named by the packages, needed by nothing that is run here. */
const needless = /^(perl|libperl|libgdbm|libdb5|debconf|gcc-|libc-gconv|dpkg|tar|openssl-provider)/;
/** An unpacked server that is whole: made last. */
const mark = 'unpacked';

/** The folder with the unpacked server, fetched when it is not there (60 MB, half a minute). Rejects with `NotInstalled` where that cannot be. */
export const unpackMysql9 = async (fetching: boolean): Promise<string> => {
  const folder = join(cacheFolder(), 'mysql9');
  if (existsSync(join(folder, mark)) || existsSync(join(folder, 'usr', 'sbin', 'mysqld')))
    return folder;
  if (!fetching || process.arch !== 'x64' || findProgram('apt-get') === undefined) {
    throw new NotInstalled(
      `no MySQL 9: set TEST_MYSQL9_URL, or unpack Debian's ${wanted} 9 with its libraries into ${folder}; ORRERY_TEST_LONG=1 does so on Debian for x86-64`,
    );
  }
  const state = join(cacheFolder(), 'apt');
  const [archives, unpacking] = [join(state, 'debs'), join(state, 'unpacking')];
  for (const place of ['lists/partial', 'cache/archives/partial', 'debs'])
    mkdirSync(join(state, place), { recursive: true });
  const environment = { APT_CONFIG: await configure(state) };
  await runHere('apt-get', ['update', '-qq'], { environment });
  const named = await runHere(
    'apt-cache',
    [
      'depends',
      '--recurse',
      '--no-recommends',
      '--no-suggests',
      '--no-conflicts',
      '--no-breaks',
      '--no-replaces',
      '--no-enhances',
      wanted,
    ],
    { environment },
  );
  const packages = [...new Set(named.split('\n').filter((line) => /^[a-z]/.test(line)))].filter(
    (name) => !needless.test(name),
  );
  await runHere('apt-get', ['download', '-qq', ...packages], { environment, folder: archives });
  rmSync(unpacking, { recursive: true, force: true });
  mkdirSync(unpacking, { recursive: true });
  for (const archive of readdirSync(archives).filter((name) => name.endsWith('.deb')))
    await runHere('dpkg-deb', ['-x', join(archives, archive), unpacking]);
  writeFileSync(join(unpacking, mark), '');
  rmSync(folder, { recursive: true, force: true });
  renameSync(unpacking, folder);
  rmSync(state, { recursive: true, force: true });
  return folder;
};

/** Settings of a package list of its own, from the mirror that this machine uses. */
const configure = async (state: string): Promise<string> => {
  const mirror = (await runHere('apt-get', ['indextargets', '--format', '$(REPO_URI)']))
    .split('\n')
    .find((uri) => /\/debian\/?$/.test(uri));
  if (mirror === undefined)
    throw new NotInstalled('no MySQL 9: there is no Debian mirror among the package sources');
  writeFileSync(
    join(state, 'sources.list'),
    `deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] ${mirror} sid main\n`,
  );
  writeFileSync(join(state, 'status'), '');
  const settings = {
    'Dir::Etc::sourcelist': join(state, 'sources.list'),
    'Dir::Etc::sourceparts': '/dev/null',
    'Dir::State::lists': join(state, 'lists'),
    'Dir::State::status': join(state, 'status'),
    'Dir::Cache': join(state, 'cache'),
    'Acquire::Languages': 'none',
    'Acquire::IndexTargets::deb::DEP-11::DefaultEnabled': 'false',
    'APT::Sandbox::User': 'root',
  };
  const file = join(state, 'apt.conf');
  writeFileSync(
    file,
    Object.entries(settings)
      .map(([name, value]) => `${name} "${value}";\n`)
      .join(''),
  );
  return file;
};
