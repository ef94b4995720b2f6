// What lists have in common: the search and the project that narrow them, and their pages. All of it stands in the address.
import type { ComponentChildren } from 'preact';
import { useLoaded } from '../loading.js';
import { server } from '../server.js';
import { query, setQuery } from '../state.js';

export const pageSize = 50;

/** Leads through the pages of a list whose newest entries come first. */
export const Paging = ({ page, total }: { page: number; total: number }) => {
  const last = Math.max(1, Math.ceil(total / pageSize));
  if (last === 1) return null;
  const to = (at: number) => setQuery({ page: at === 1 ? undefined : String(at) }, true);
  return (
    <p class="controls">
      <button type="button" disabled={page <= 1} onClick={() => to(Math.min(page - 1, last))}>
        Newer
      </button>
      <span class="faint">
        page {page} of {last}
      </span>
      <button type="button" disabled={page >= last} onClick={() => to(page + 1)}>
        Older
      </button>
    </p>
  );
};

/** Which page the address is at; pages count from 1. */
export const pageOfAddress = (): number =>
  Math.max(1, Math.floor(Number(query.value.get('page')) || 1));

export const SearchForm = ({ label, hint }: { label: string; hint: string }) => {
  const search = (query.value.get('q') ?? '').trim();
  return (
    <form
      class="controls"
      onSubmit={(event) => {
        event.preventDefault();
        const text = new FormData(event.currentTarget).get('q');
        setQuery({ q: typeof text === 'string' ? text : undefined, page: undefined }, true);
      }}
    >
      <input
        type="search"
        name="q"
        class="wide"
        aria-label={label}
        placeholder={hint}
        defaultValue={search}
        key={search}
      />
      <button type="submit">Search</button>
    </form>
  );
};

export interface Listing {
  /** Names of projects that the list may be narrowed to. */
  readonly projects: readonly string[];
  readonly project: string | undefined;
  /** The id of a project by its name. */
  readonly idOf: (project: string) => string | undefined;
  /** Members of a query of the server; nothing while they are not known yet. */
  readonly asked:
    | {
        readonly page: number;
        readonly size: number;
        readonly name?: string;
        readonly project_id?: string;
      }
    | undefined;
  readonly fault: string | undefined;
  /** The name of a project; nothing where there is no such project, or it is not known yet. */
  readonly nameOf: (projectId: string | undefined) => string | undefined;
}

/** What the address asks of a list of a workspace: a page, a part of a name, a project. */
export const useListing = (workspace: string): Listing => {
  const { value, fault } = useLoaded(
    (signal) => server.listProjects({ query: { workspaceName: workspace } }, signal),
    [workspace],
  );
  const project = query.value.get('project') ?? undefined;
  const search = (query.value.get('q') ?? '').trim();
  const found = value?.projects.find(({ projectName }) => projectName === project);
  const known = project === undefined || found !== undefined;
  return {
    projects: (value?.projects ?? []).map(({ projectName }) => projectName).sort(),
    project,
    idOf: (name) => value?.projects.find(({ projectName }) => projectName === name)?.projectId,
    asked: known
      ? {
          page: pageOfAddress(),
          size: pageSize,
          ...(search === '' ? {} : { name: search }),
          ...(found === undefined ? {} : { project_id: found.projectId }),
        }
      : undefined,
    fault: known || value === undefined ? fault : `There is no project ${project}.`,
    nameOf: (projectId) => value?.projects.find((one) => one.projectId === projectId)?.projectName,
  };
};

/** The search in names, the choice of a project, and what else a list can be narrowed by. */
export const ListBar = ({
  what,
  of: { projects, project },
  children,
}: {
  /** What is listed. */
  what: string;
  of: Listing;
  children?: ComponentChildren;
}) => (
  <div class="controls narrowing">
    <SearchForm label={`Search in ${what}`} hint="Search in names" />
    <div class="controls">
      <select
        aria-label="Project"
        value={project ?? ''}
        onChange={({ currentTarget: { value } }) =>
          setQuery({ project: value, page: undefined }, true)
        }
      >
        <option value="">all projects</option>
        {project === undefined || projects.includes(project) ? null : (
          <option value={project}>{project}</option>
        )}
        {projects.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
      {children}
    </div>
  </div>
);
