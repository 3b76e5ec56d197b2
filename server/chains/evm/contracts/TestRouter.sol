// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

interface IToken {
    function transfer(address to, uint256 amount) external;
    function transferFrom(address from, address to, uint256 amount) external;
}

/// Tests use this hostile router. It takes what it may, makes a call of the attacker's choice, and pays what it likes. The zero address is the chain's own coin.
contract TestRouter {
    struct Trade {
        address tokenIn;
        uint256 amountIn;
        address tokenOut;
        uint256 amountOut;
        address to;
        address target;
        bytes data;
    }

    /// Whether the attacker's call succeeded.
    bool public isCalled;

    receive() external payable {}

    function swap(Trade calldata trade) external payable {
        if (trade.tokenIn != address(0) && trade.amountIn > 0) IToken(trade.tokenIn).transferFrom(msg.sender, address(this), trade.amountIn);
        if (trade.target != address(0)) (isCalled,) = trade.target.call(trade.data);
        if (trade.amountOut == 0) return;
        if (trade.tokenOut != address(0)) return IToken(trade.tokenOut).transfer(trade.to, trade.amountOut);
        (bool ok,) = trade.to.call{value: trade.amountOut}("");
        require(ok, "TestRouter: not accepted");
    }

    /// Burns this much gas.
    function burn(uint256 amount) external payable {
        uint256 start = gasleft();
        uint256 word;
        while (start - gasleft() < amount) word = uint256(keccak256(abi.encode(word)));
    }
}
