// Trait: a program that passes no gate but its end.
int main() { return 0; }
