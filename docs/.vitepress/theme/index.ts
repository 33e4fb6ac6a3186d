/** The default theme with the fonts of the system: a page loads nothing from elsewhere. */
export { default } from 'vitepress/theme-without-fonts'
