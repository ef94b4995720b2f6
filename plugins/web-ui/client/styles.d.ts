// Styles are no modules to TypeScript; the build joins them into one file.
declare module '*.css';
