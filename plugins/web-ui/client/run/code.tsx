// What ran: code, uncommitted changes, command, packages and machine, each with a way to copy it.
import { useState } from 'preact/hooks';
import { useLoaded } from '../loading.js';
import { runServer } from '../server.js';
import { Copy, Lines } from './lines.js';
import { readPatch } from './patch.js';
import { SourceFiles } from './source-files.js';
import { Wait } from './wait.js';

const Packages = ({ packages }: { packages: readonly string[] }) => {
  const [part, setPart] = useState('');
  const found = packages.filter((one) => one.toLowerCase().includes(part));
  return (
    <>
      <input
        type="search"
        aria-label="Find a package"
        placeholder={`find among ${packages.length}`}
        onInput={({ currentTarget }) => setPart(currentTarget.value.toLowerCase())}
      />{' '}
      <Copy text={packages.join('\n')} what="Packages" />
      <pre class="code" tabIndex={0} role="region" aria-label="Packages">
        {found.join('\n')}
      </pre>
    </>
  );
};

const Machine = ({ run }: { run: string }) => {
  const found = useLoaded(
    async (signal) => {
      const query = { experimentKey: run };
      const [system, git] = await Promise.all([
        runServer.getSystem({ query }, signal),
        runServer.getGit({ query }, signal),
      ]);
      return { system, git };
    },
    [run],
  );
  if (found.value === undefined) return <Wait of={found} />;
  const { system, git } = found.value;
  const command = system.command.join(' ');
  const rows: readonly (readonly [string, string | number | null])[] = [
    ['Command', command],
    ['Python', system.pythonVersion],
    ['Host', system.hostname],
    ['User', system.user],
    ['System', system.os],
    ['Processor', system.processor],
    ['GPUs', system.gpuStaticInfoList.map((one) => (one as { name?: unknown }).name).join(', ')], // each is an object, with a name or without
    ['Branch', git.branch],
    ['Commit', git.parent],
    ['Repository', git.origin],
  ];
  const known = rows.filter(([, value]) => value !== null && value !== '');
  return (
    <>
      <h2>Environment {command === '' ? null : <Copy text={command} what="Command" />}</h2>
      {known.length === 0 ? <p class="empty">Nothing was logged about the machine.</p> : null}
      <table class="plain">
        <tbody>
          {known.map(([name, value]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{value}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {system.installedPackages.length === 0 ? null : (
        <>
          <h2>Packages</h2>
          <Packages packages={system.installedPackages} />
        </>
      )}
    </>
  );
};

export const Code = ({ run }: { run: string }) => {
  const code = useLoaded(
    (signal) => runServer.getCode({ query: { experimentKey: run } }, signal),
    [run],
  );
  const patch = useLoaded((signal) => readPatch(run, signal), [run]);
  const text = code.value?.code ?? '';
  return (
    <div class="columns">
      <section>
        <h2>Code {text === '' ? null : <Copy text={text} what="Code" />}</h2>
        {code.value === undefined ? <Wait of={code} /> : null}
        {code.value !== undefined && text === '' ? (
          <p class="empty">No code was logged with this run.</p>
        ) : (
          <Lines text={text} label="Code" />
        )}
        <SourceFiles run={run} />
      </section>
      <section>
        <h2>
          Uncommitted changes{' '}
          {patch.value === undefined || patch.value === '' ? null : (
            <Copy text={patch.value} what="Patch" />
          )}
        </h2>
        {patch.value === undefined ? (
          <Wait of={patch} />
        ) : patch.value === '' ? (
          <p class="empty">No patch was logged with this run.</p>
        ) : (
          <Lines text={patch.value} label="Patch" patch />
        )}
        <Machine run={run} />
      </section>
    </div>
  );
};
