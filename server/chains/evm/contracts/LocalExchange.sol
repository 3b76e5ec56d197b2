// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Local chains have these constant-product pools, with a fee of 0.3 % per hop. The zero address is the chain's own
/// coin. Liquidity cannot be removed, because local chains are disposable.
contract LocalExchange {
    /// reserve[a][b] is the amount of `a` in the pool of a and b.
    mapping(address => mapping(address => uint256)) public reserve;

    error BadPath();
    error NoPool(address tokenA, address tokenB);
    error TooLittleOut(uint256 amountOut, uint256 minOut);
    error TooMuchIn(uint256 amountIn, uint256 maxIn);
    error WrongValue();
    error TransferFailed();

    function addLiquidity(address tokenA, address tokenB, uint256 amountA, uint256 amountB) external payable {
        if (tokenA == tokenB) revert BadPath();
        uint256 native = tokenA == address(0) ? amountA : tokenB == address(0) ? amountB : 0;
        if (msg.value != native) revert WrongValue();
        _pull(tokenA, amountA);
        _pull(tokenB, amountB);
        reserve[tokenA][tokenB] += amountA;
        reserve[tokenB][tokenA] += amountB;
    }

    function quoteExactIn(address[] calldata path, uint256 amountIn) public view returns (uint256 amount) {
        _checkPath(path);
        amount = amountIn;
        for (uint256 i = 0; i + 1 < path.length; ++i) amount = _out(path[i], path[i + 1], amount);
    }

    function quoteExactOut(address[] calldata path, uint256 amountOut) public view returns (uint256 amount) {
        _checkPath(path);
        amount = amountOut;
        for (uint256 i = path.length - 1; i > 0; --i) amount = _in(path[i - 1], path[i], amount);
    }

    function swapExactIn(address[] calldata path, uint256 amountIn, uint256 minOut, address to)
        external
        payable
        returns (uint256 amountOut)
    {
        _checkPath(path);
        if (msg.value != (path[0] == address(0) ? amountIn : 0)) revert WrongValue();
        amountOut = _swap(path, amountIn, to);
        if (amountOut < minOut) revert TooLittleOut(amountOut, minOut);
    }

    function swapExactOut(address[] calldata path, uint256 amountOut, uint256 maxIn, address to)
        external
        payable
        returns (uint256 amountIn)
    {
        amountIn = quoteExactOut(path, amountOut);
        if (amountIn > maxIn) revert TooMuchIn(amountIn, maxIn);
        bool native = path[0] == address(0);
        if (native ? msg.value < amountIn : msg.value != 0) revert WrongValue();
        uint256 out = _swap(path, amountIn, to);
        if (out < amountOut) revert TooLittleOut(out, amountOut);
        if (native && msg.value > amountIn) _push(address(0), msg.sender, msg.value - amountIn);
    }

    function _swap(address[] calldata path, uint256 amountIn, address to) private returns (uint256 amount) {
        _pull(path[0], amountIn);
        amount = amountIn;
        for (uint256 i = 0; i + 1 < path.length; ++i) {
            uint256 out = _out(path[i], path[i + 1], amount);
            reserve[path[i]][path[i + 1]] += amount;
            reserve[path[i + 1]][path[i]] -= out;
            amount = out;
        }
        _push(path[path.length - 1], to, amount);
    }

    function _checkPath(address[] calldata path) private pure {
        if (path.length < 2 || path.length > 3) revert BadPath();
    }

    function _out(address tokenIn, address tokenOut, uint256 amountIn) private view returns (uint256) {
        (uint256 reserveIn, uint256 reserveOut) = _reserves(tokenIn, tokenOut);
        uint256 net = amountIn * 997;
        return (net * reserveOut) / (reserveIn * 1000 + net);
    }

    function _in(address tokenIn, address tokenOut, uint256 amountOut) private view returns (uint256) {
        (uint256 reserveIn, uint256 reserveOut) = _reserves(tokenIn, tokenOut);
        if (amountOut >= reserveOut) revert NoPool(tokenIn, tokenOut);
        return (reserveIn * amountOut * 1000) / ((reserveOut - amountOut) * 997) + 1;
    }

    function _reserves(address tokenIn, address tokenOut) private view returns (uint256 reserveIn, uint256 reserveOut) {
        reserveIn = reserve[tokenIn][tokenOut];
        reserveOut = reserve[tokenOut][tokenIn];
        if (reserveIn == 0 || reserveOut == 0) revert NoPool(tokenIn, tokenOut);
    }

    function _pull(address token, uint256 amount) private {
        if (token == address(0)) return;
        _tokenCall(token, abi.encodeWithSignature("transferFrom(address,address,uint256)", msg.sender, address(this), amount));
    }

    function _push(address token, address to, uint256 amount) private {
        if (token != address(0)) return _tokenCall(token, abi.encodeWithSignature("transfer(address,uint256)", to, amount));
        (bool ok,) = to.call{value: amount}("");
        if (!ok) revert TransferFailed();
    }

    function _tokenCall(address token, bytes memory data) private {
        (bool ok, bytes memory answer) = token.call(data);
        if (!ok || token.code.length == 0 || (answer.length > 0 && !abi.decode(answer, (bool)))) revert TransferFailed();
    }
}
