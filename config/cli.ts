#!/usr/bin/env node
// The command `orrery`: serve, and what an administrator does beside a running server or without one.
import { Command, CommanderError, Option } from 'commander';
import { isFailure } from '#ports/failure';
import type { DemoOptions } from './commands/demo.js';
import type { QueryOptions } from './commands/query.js';
import type { NewUserOptions } from './commands/user.js';
import { version } from './version.js';
import { openOutput, type Output } from './output.js';

/** What programs that run a command can tell from its exit code. */
const exitCodes = { done: 0, refused: 1, misused: 2 } as const;

const json = new Option('--json', 'print one JSON document instead of lines');

/** A command, with the options that all of them have. */
const define = (
  parent: Command,
  words: string,
  summary: string,
  examples: readonly string[],
): Command => {
  const command = parent
    .command(words)
    .summary(summary)
    .description(`${summary}.`)
    .addOption(json)
    .allowExcessArguments(false);
  return command.addHelpText(
    'after',
    `\n${examples.length === 1 ? 'Example' : 'Examples'}:\n${examples.map((line) => `  $ ${line}`).join('\n')}`,
  );
};

/** Refuses an argument or option without anything in it: most likely a variable of the shell that is not set. */
const requireNoneEmpty = (command: Command, words: readonly string[], options: object): void => {
  const at = words.indexOf('');
  const argument = command.registeredArguments[at]?.name();
  const option = command.options.find(
    (one) => (options as Readonly<Record<string, unknown>>)[one.attributeName()] === '',
  );
  const what = argument === undefined ? option?.long : `argument '${argument}'`;
  if (what !== undefined) command.error(`error: ${what} is empty`);
};

/** Runs a command with its options; what it imports is loaded only when it is run. */
const run =
  <O extends { readonly json?: boolean }>(
    work: (output: Output, options: O, words: readonly string[]) => Promise<void> | void,
  ) =>
  async (...given: readonly unknown[]): Promise<void> => {
    const options = given.at(-2) as O; // commander passes the arguments, the options and the command
    const words = given.slice(0, -2).filter((word): word is string => typeof word === 'string');
    requireNoneEmpty(given.at(-1) as Command, words, options);
    await work(openOutput({ json: options.json }), options, words);
  };

const addServe = (program: Command): void => {
  define(program, 'serve', 'Serve until SIGTERM or SIGINT', [
    'orrery serve',
    'ORRERY_PORT=8080 ORRERY_DATA=/srv/orrery orrery serve',
  ]).action(
    run(async (output) =>
      (await import('./start.js')).start(process.env, { json: output.forPrograms }),
    ),
  );
};

const addInspection = (program: Command): void => {
  define(program, 'check', 'Look whether everything that the settings name works', [
    'orrery check',
    'orrery check --json',
  ]).action(
    run(async (output) => (await import('./commands/inspect.js')).checkInstallation(output)),
  );
  define(
    program,
    'settings',
    'Show the settings and toggles in force and where they come from, secrets masked',
    ['orrery settings', 'orrery settings --json'],
  ).action(run(async (output) => (await import('./commands/inspect.js')).showSettings(output)));
  const audit = program
    .command('audit')
    .summary('Compare what is stored in two places')
    .description('Compare what is stored in two places.');
  define(audit, 'blobs', 'Compare rows with the bytes that they name', [
    'orrery audit blobs',
    'orrery audit blobs --fix',
  ])
    .option('--fix', 'remove what only one side has')
    .action(
      run<{ readonly json?: boolean; readonly fix?: boolean }>(async (output, { fix }) =>
        (await import('./commands/inspect.js')).auditBytes({ fix: fix === true }, output),
      ),
    );
};

const addCall = (program: Command): void => {
  define(
    program,
    'call [operation] [input]',
    'Do any operation as the administrator; without a name, list them',
    [
      'orrery call',
      `orrery call createUser '{"userName": "ann"}'`,
      'orrery call exportAudit --output audit.csv',
    ],
  )
    .option('--output <file>', 'write the reply to a new file instead of standard output')
    .action(
      run<{ readonly json?: boolean; readonly output?: string }>(
        async (output, options, [operation, input]) =>
          (await import('./call.js')).call({ operation, input, file: options.output }, output),
      ),
    );
};

const addQuery = (program: Command): void => {
  define(
    program,
    'query <statement>',
    'Run a SELECT over the traces, spans, scores and datasets of a workspace or a project',
    [
      'orrery query "SELECT name, count(*) AS traces FROM traces GROUP BY name ORDER BY 2 DESC"',
      'orrery query "SELECT model, sum(total_estimated_cost) AS cost FROM spans GROUP BY model" --project support',
      'orrery query "SELECT * FROM feedback_scores" --workspace vision --out scores.parquet',
    ],
  )
    .option('--workspace <name>', 'the workspace; may be left out where there is only one')
    .option('--project <name>', 'traces, and what belongs to them, of this project alone')
    .option(
      '--format <form>',
      'table, json, csv, jsonl or parquet; a table, or what the ending of the file says, when left out',
    )
    .option('--out <file>', 'write into a new file instead of standard output')
    .action(
      run<QueryOptions & { readonly json?: boolean }>(async (output, options, [statement = '']) =>
        (await import('./commands/query.js')).query(statement, options, output),
      ),
    );
};

const addUsers = (program: Command): void => {
  const user = program
    .command('user')
    .summary('Make users and give them new secrets')
    .description('Make users and give them new secrets.');
  define(user, 'add <name>', 'Make a user with a workspace and an API key', [
    'orrery user add ann',
    'orrery user add bob --workspace vision --generate-password --email bob@example.org',
  ])
    .option(
      '--workspace <name>',
      'workspace to join, or to make where there is none of that name; a free name when left out',
    )
    .option('--api-key <key>', 'the key, where it was chosen before')
    .option(
      '--password <password>',
      'the password; others on this machine may see it while the command runs',
    )
    .option('--generate-password', 'make a password and print it once')
    .option('--email <address>', 'e-mail address')
    .option('--admin', 'let the user administer the installation')
    .action(
      run<NewUserOptions & { readonly json?: boolean }>(async (output, options, [name = '']) =>
        (await import('./commands/user.js')).addUser(name, options, output),
      ),
    );
  define(user, 'reset <name>', 'Give a user a new password and another API key, printed once', [
    'orrery user reset admin',
  ]).action(
    run(async (output, _options, [name = '']) =>
      (await import('./commands/user.js')).resetUser(name, output),
    ),
  );
};

const addMigrations = (program: Command): void => {
  const migrate = program
    .command('migrate')
    .summary('Change the schema of the database')
    .description('Change the schema of the database.');
  const yes = ['--yes', 'agree to lose what the command lists'] as const;
  define(migrate, 'up', 'Bring the schema up to this release', ['orrery migrate up']).action(
    run(async (output) => (await import('./commands/migrate.js')).migrateUp(output)),
  );
  define(migrate, 'status', 'Show every change of the schema and when it was made', [
    'orrery migrate status',
  ]).action(run(async (output) => (await import('./commands/migrate.js')).migrateStatus(output)));
  define(migrate, 'down <count>', 'Undo the newest changes of the schema, with all data in them', [
    'orrery migrate down 1',
    'orrery migrate down 1 --yes',
  ])
    .option(...yes)
    .action(
      run<{ readonly json?: boolean; readonly yes?: boolean }>(
        async (output, options, [count = '']) =>
          (await import('./commands/migrate.js')).migrateDown(
            count,
            { yes: options.yes === true },
            output,
          ),
      ),
    );
  define(
    migrate,
    'drop <plugin>',
    'Remove the tables of a plugin that is gone, with all data in them',
    ['orrery migrate drop orrery-plugin-notes --yes'],
  )
    .option(...yes)
    .action(
      run<{ readonly json?: boolean; readonly yes?: boolean }>(
        async (output, options, [plugin = '']) =>
          (await import('./commands/migrate.js')).migrateDrop(
            plugin,
            { yes: options.yes === true },
            output,
          ),
      ),
    );
};

const addPlugin = (program: Command): void => {
  const plugin = program.command('plugin').summary('Begin a plugin').description('Begin a plugin.');
  define(plugin, 'new <folder>', 'Make a plugin with an operation, a table, a setting and a test', [
    'orrery plugin new orrery-plugin-notes',
  ]).action(
    run(async (output, _options, [folder = '']) =>
      (await import('./commands/plugin.js')).newPlugin(folder, output),
    ),
  );
};

const addDemo = (program: Command): void => {
  define(program, 'demo', 'Fill a workspace with runs, models and artifacts to look at', [
    'orrery demo',
    'orrery demo --serve ./demo',
    'orrery demo --url http://127.0.0.1:4400 --api-key KEY --project tour',
  ])
    .option(
      '--url <address>',
      'the server; COMET_URL_OVERRIDE, or what the key carries, when left out',
    )
    .option('--api-key <key>', 'the key; COMET_API_KEY when left out')
    .option(
      '--workspace <name>',
      'the workspace; COMET_WORKSPACE, or the default one, when left out',
    )
    .option('--project <name>', 'a project that is not there yet', 'street-scenes')
    .option('--runs <count>', 'how many runs', '300')
    .option('--serve <folder>', 'start a server of its own over this new or empty folder')
    .action(
      run<DemoOptions & { readonly json?: boolean }>(async (output, options) =>
        (await import('./commands/demo.js')).fillWithDemo(options, output),
      ),
    );
};

const addTransfer = (program: Command): void => {
  define(
    program,
    'export <file>',
    'Write everything into a new file, also beside a running server',
    [
      'orrery export backup.zip',
      'orrery export rows.zip --without-bytes',
      'orrery export --verify backup.zip',
    ],
  )
    .option('--without-bytes', 'leave out the bytes of assets')
    .option(
      '--verify',
      'read the file to its end and say whether it is whole, without touching any storage',
    )
    .action(
      run<{ readonly json?: boolean; readonly withoutBytes?: boolean; readonly verify?: boolean }>(
        async (output, options, [file = '']) =>
          (await import('./commands/transfer.js')).exportFile(file, options, output),
      ),
    );
  define(
    program,
    'import <file>',
    'Bring everything of a file into an empty storage, before its first start',
    ['ORRERY_DATA=/srv/new orrery import backup.zip'],
  ).action(
    run(async (output, _options, [file = '']) =>
      (await import('./commands/transfer.js')).importFile(file, output),
    ),
  );
};

const build = (): Command => {
  const program = new Command('orrery')
    .description(
      'A self-hosted server for machine-learning work. Settings come from the environment and from the file that ORRERY_CONFIG names.',
    )
    .version(`orrery ${version}`, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .showSuggestionAfterError()
    .showHelpAfterError('(add --help for help)')
    .exitOverride()
    .addHelpText(
      'after',
      '\nExit codes:\n  0  done\n  1  refused, or something is wrong; one sentence on standard error says what\n  2  the command line is wrong',
    );
  for (const add of [
    addServe,
    addInspection,
    addCall,
    addQuery,
    addUsers,
    addMigrations,
    addTransfer,
    addPlugin,
    addDemo,
  ])
    add(program);
  return program;
};

const failWith = (thrown: unknown): number => {
  if (thrown instanceof CommanderError)
    return thrown.exitCode === 0 ? exitCodes.done : exitCodes.misused; // what it says was written
  process.stderr.write(
    isFailure(thrown)
      ? `orrery: ${thrown.message}\n`
      : `${thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)}\n`,
  );
  return exitCodes.refused;
};

try {
  const words = process.argv.slice(2);
  const program = build();
  if (words.length === 0) program.outputHelp();
  else await program.parseAsync(words, { from: 'user' });
} catch (thrown) {
  process.exit(failWith(thrown));
}
