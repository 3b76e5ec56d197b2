import { createElement } from 'react'
import { renderToString } from 'react-dom/server'
import { Shop } from './shop.js'

console.log(renderToString(createElement(Shop)))
