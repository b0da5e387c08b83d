"""Reading and comparing answers: robustly, and by the released code's rules."""
