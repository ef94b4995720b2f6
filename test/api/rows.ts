// Every row that the server answers, and what tests ask of a row again and again.
import { serviceArea, swaggerArea, versionArea } from '#adapters/http/service';
import { areas } from '#core/areas';
import { anonymousOffArea } from '#core/identity/anonymous-off';
import { monitoringAreas } from '#plugins/monitoring/areas';
import type { MonitoringNeeds } from '#plugins/monitoring/needs';
import { additionAreas } from '#plugins/web-ui/additions';
import { webUiAreas } from '#plugins/web-ui/areas';
import type { FaceNeeds } from '#plugins/web-ui/faces/handlers';
import type { Area } from '#ports/api/area';
import { areasVariable } from '#test/sampling';
import type { CatalogueRow } from '#ports/catalogue';
import type { Operation, Subject } from '#ports/api/operation';

/** JSON Schema as the words of the rows make it. */
export interface Shape {
  readonly type?: string;
  readonly lenient?: string;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly items?: Shape;
}

export const allAreas: readonly Area[] = [
  ...areas,
  versionArea,
  serviceArea,
  swaggerArea,
  anonymousOffArea,
  // The plugins that are on by default.
  ...monitoringAreas({} as MonitoringNeeds), // rows are read alone
  ...webUiAreas(new Map(), {
    ...({} as FaceNeeds), // rows are read alone
    settings: { baseUrl: 'http://localhost' },
  }),
  ...additionAreas({ list: () => [] }),
];
export const rowsOf = (some: readonly Area[]): readonly CatalogueRow[] =>
  some.flatMap((area) =>
    Object.entries(area.table).map(([id, operation]) => ({
      id,
      area: area.name,
      areaSummary: area.summary,
      family: area.family,
      operation,
    })),
  );
export const rows = rowsOf(allAreas);

/** The areas whose rows a run is about (`npm test -- traces`); empty is all of them. */
const wantedAreas = (process.env[areasVariable] ?? '').split(',').filter((name) => name !== '');
/** The rows that are asked one by one in this run. */
export const wantedRows = rows.filter(
  ({ area }) => wantedAreas.length === 0 || wantedAreas.includes(area),
);

export const pathsOf = (operation: Operation): readonly string[] => [operation.path].flat();
export const isRestricted = ({ access: { needs } }: Operation): boolean =>
  needs !== 'public' && needs !== 'signed' && needs !== 'visitor';

/** Where a subject may be named, in the row's own words: `query.experimentKey`. */
export const placesOf = (subject: Subject): readonly string[] =>
  'each' in subject
    ? (subject.members?.map((member) => `${subject.path}.${member}`) ?? [subject.path])
    : subject.paths.flatMap((path) => path.split('/'));

/** The schema of a part of the input; `undefined` where it has none, or takes bytes. */
export const shapeOf = (
  operation: Operation,
  where: 'query' | 'params' | 'body',
): Shape | undefined => {
  const shape = operation[where];
  if (shape === undefined || 'multipart' in shape || 'raw' in shape) return undefined;
  return ('form' in shape ? shape.form : shape) as Shape; // the words of the rows make JSON Schema
};

/** Every member of the input, at any depth, by its place: `body.remoteAssets.*.assetId`. */
export const fieldsOf = (operation: Operation): readonly string[] =>
  (['query', 'params', 'body'] as const).flatMap((where) => {
    const walk = (shape: Shape | undefined, at: string): readonly string[] => [
      ...Object.entries(shape?.properties ?? {}).flatMap(([name, of]) => [
        `${at}.${name}`,
        ...walk(of, `${at}.${name}`),
      ]),
      ...(shape?.items === undefined ? [] : walk(shape.items, `${at}.*`)),
    ];
    return walk(shapeOf(operation, where), where);
  });
