// The theme of VitePress without its fonts, and with our style.

import theme from 'vitepress/theme-without-fonts'
import './style.css'

export default theme
