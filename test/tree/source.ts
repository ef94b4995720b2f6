// What the architecture test knows of a source file: its imports, the names it uses that are held to places, how it exports.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/** A file as it is read, or as a test invents it. Paths are relative to the root, with slashes. */
export interface SourceText {
  readonly path: string;
  readonly text: string;
}

export interface Source {
  readonly path: string;
  /** What it imports: paths of this tree without an ending, or names of packages. */
  readonly imports: readonly {
    readonly to: string;
    readonly typeOnly: boolean;
    /** The names that it takes from there, of an import with names. */
    readonly names: readonly string[];
  }[];
  /** `a.b` for every read of a member of a plain name, `new Date` for a date of now, and each plain name that is called. */
  readonly uses: ReadonlySet<string>;
  readonly exportsDefault: boolean;
  /** Whether it does nothing but pass on what others export. */
  readonly passesOn: boolean;
}

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
const folders = ['ports', 'core', 'adapters', 'plugins', 'config'] as const;

/** Every source of the product, tests left out. */
export const readTree = (): readonly SourceText[] =>
  folders.flatMap((folder) => {
    const names = readdirSync(root).includes(folder)
      ? readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      : [];
    return names
      .filter((name) => name.endsWith('.ts'))
      .map((name) => ({
        path: posix.join(folder, name.replaceAll('\\', '/')),
        text: readFileSync(join(root, folder, name), 'utf8'),
      }));
  });

const target = (from: string, named: string): string => {
  if (named.startsWith('#')) return named.slice(1);
  return named.startsWith('.')
    ? posix.join(posix.dirname(from), named).replace(/\.js$/, '')
    : named;
};

const isTypeOnly = (node: ts.ImportDeclaration | ts.ExportDeclaration): boolean => {
  if (ts.isExportDeclaration(node)) return node.isTypeOnly;
  const names = node.importClause?.namedBindings;
  return (
    node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword ||
    (names !== undefined &&
      ts.isNamedImports(names) &&
      names.elements.length > 0 &&
      names.elements.every((one) => one.isTypeOnly))
  );
};

const namesOf = (node: ts.ImportDeclaration | ts.ExportDeclaration): readonly string[] => {
  const names = ts.isImportDeclaration(node) ? node.importClause?.namedBindings : undefined;
  return names !== undefined && ts.isNamedImports(names)
    ? names.elements.map((one) => (one.propertyName ?? one.name).text)
    : [];
};

/** Parses a file; nothing in a comment or a text counts. */
export const parse = ({ path, text }: SourceText): Source => {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true);
  const imports: { to: string; typeOnly: boolean; names: readonly string[] }[] = [];
  const uses = new Set<string>();
  let exportsDefault = false;
  const note = (named: ts.Node | undefined, typeOnly: boolean, names: readonly string[] = []) => {
    if (named !== undefined && ts.isStringLiteralLike(named))
      imports.push({ to: target(path, named.text), typeOnly, names });
  };
  const walk = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node))
      note(node.moduleSpecifier, isTypeOnly(node), namesOf(node));
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
      note(node.arguments[0], false);
    if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument))
      note(node.argument.literal, true);
    if (ts.isPropertyAccessExpression(node))
      uses.add(`${node.expression.getText(file).split('.').at(-1) ?? ''}.${node.name.text}`);
    if (
      ts.isNewExpression(node) &&
      node.expression.getText(file) === 'Date' &&
      (node.arguments?.length ?? 0) === 0
    )
      uses.add('new Date');
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression))
      uses.add(node.expression.text);
    if (
      ts.isExportAssignment(node) ||
      (ts.canHaveModifiers(node) &&
        ts.getModifiers(node)?.some((one) => one.kind === ts.SyntaxKind.DefaultKeyword) === true)
    )
      exportsDefault = true;
    ts.forEachChild(node, walk);
  };
  walk(file);
  return {
    path,
    imports,
    uses,
    exportsDefault,
    passesOn:
      file.statements.length > 0 &&
      file.statements.every(
        (one) => ts.isExportDeclaration(one) && one.moduleSpecifier !== undefined,
      ),
  };
};
