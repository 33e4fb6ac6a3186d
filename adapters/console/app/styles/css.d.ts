/** Vite puts imported styles into files of their own. */
declare module '*.css'
