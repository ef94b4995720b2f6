import regexp from 'eslint-plugin-regexp';
import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['dist/', 'node_modules/', 'coverage/'] },
  ...tseslint.configs.strict.map((config) => ({ ...config, files: ['**/*.ts', '**/*.tsx'] })),
  {
    files: ['**/*.ts', '**/*.tsx'],
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
      '@typescript-eslint/no-invalid-void-type': 'off', // a reply without a body is `undefined`, and generic plumbing says void
      '@typescript-eslint/no-non-null-assertion': 'off', // typed arrays in the codec are indexed within bounds
      '@typescript-eslint/no-dynamic-delete': 'off', // members of parsed JSON are removed by name
      eqeqeq: 'error',
      'no-console': 'error',
      'no-var': 'error',
      'prefer-const': 'error',
    },
  },
  {
    // Texts of callers are megabytes long: a pattern must take time in proportion to them. `test/regular-expressions.test.ts` measures what these rules miss.
    files: [
      'ports/**/*.ts',
      'core/**/*.ts',
      'adapters/**/*.ts',
      'plugins/**/*.ts',
      'plugins/**/*.tsx',
      'config/**/*.ts',
    ],
    plugins: { regexp },
    rules: {
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': [
        'error',
        { report: 'potential', ignorePartial: false, ignoreSticky: false },
      ],
    },
  },
);
