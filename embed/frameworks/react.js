'use client'
import { createElement, useImperativeHandle, useLayoutEffect, useRef } from 'react'
import { components } from './component.js'

export const { TillButton, TillCheckout } = components({ createElement, useImperativeHandle, useLayoutEffect, useRef })
