import events from 'node:events'
import http from 'node:http'
import net from 'node:net'
import stream from 'node:stream'
import threads from 'node:worker_threads'
import { defineConfig } from 'eslint/config'
import tseslint from 'typescript-eslint'

/** The classes of the platform: another realm has other ones. */
const PLATFORM_CLASSES = [globalThis, stream, net, http, events, threads]
  .flatMap((source) => Object.getOwnPropertyNames(source).filter((name) => typeof source[name] === 'function'))
  .filter((name) => /^[A-Z]/.test(name))

const OTHER_REALM =
  'False for a value of another realm, such as a test runner has: use the checks of src/kernel/realms.ts.'

export default defineConfig(
  {
    ignores: [
      'docs/.vitepress/cache/',
      'docs/.vitepress/dist/',
      'dist/',
      'node_modules/',
      'coverage/',
      'adapters/client/generated/',
      'examples/**/*.js',
    ],
  },
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    // With `projectService` a run of all files takes a third longer.
    languageOptions: {
      parserOptions: {
        project: ['tsconfig.json', 'adapters/console/app/tsconfig.json', 'docs/.vitepress/tsconfig.json'],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/consistent-type-definitions': ['error', 'interface'],
      // Isolated declarations need the types written out.
      '@typescript-eslint/consistent-generic-constructors': 'off',
      '@typescript-eslint/no-inferrable-types': 'off',
      '@typescript-eslint/dot-notation': ['error', { allowIndexSignaturePropertyAccess: true }],
      'no-restricted-properties': [
        'error',
        {
          object: 'AbortSignal',
          property: 'any',
          message: 'In Node 20, garbage collection can remove such a signal before it fires: use withAnySignal.',
        },
      ],
      // Adapters of asynchronous ports may have nothing to wait for.
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { varsIgnorePattern: '^_', argsIgnorePattern: '^_' }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
    },
  },
  {
    files: ['src/**/*.ts', 'adapters/**/*.ts'],
    // A page has one realm.
    ignores: ['adapters/console/app/**'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: `BinaryExpression[operator='instanceof'][right.name=/^(${PLATFORM_CLASSES.join('|')})$/]`,
          message: OTHER_REALM,
        },
        {
          // Such as net.Socket.
          selector: `BinaryExpression[operator='instanceof'][right.property.name=/^(${PLATFORM_CLASSES.join('|')})$/]`,
          message: OTHER_REALM,
        },
      ],
    },
  },
)
