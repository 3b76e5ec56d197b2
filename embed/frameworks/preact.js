import { createElement } from 'preact'
import { useImperativeHandle, useLayoutEffect, useRef } from 'preact/hooks'
import { components } from './component.js'

export const { TillButton, TillCheckout } = components({ createElement, useImperativeHandle, useLayoutEffect, useRef })
